"""The memory that a tape holds, and the peak of its gradient."""
