"""Values at few levels."""
