"""`tf.debugging`: checks, and modes that find where something went wrong."""

from gradtape._src.compat.config import get_log_device_placement as get_log_device_placement
from gradtape._src.compat.config import set_log_device_placement as set_log_device_placement
from gradtape._src.core.tracebacks import disable_traceback_filtering as disable_traceback_filtering
from gradtape._src.core.tracebacks import enable_traceback_filtering as enable_traceback_filtering
from gradtape._src.core.tracebacks import (
    is_traceback_filtering_enabled as is_traceback_filtering_enabled,
)
from gradtape._src.inspect.explanation import Cause as Cause
from gradtape._src.inspect.explanation import Explanation as Explanation
from gradtape._src.inspect.journal import disable_explanations as disable_explanations
from gradtape._src.inspect.journal import enable_explanations as enable_explanations
from gradtape._src.inspect.journal import explanations as explanations
from gradtape._src.inspect.numerics import NonFinite as NonFinite
from gradtape._src.inspect.numerics import NonFiniteError as NonFiniteError
from gradtape._src.inspect.numerics import disable_check_numerics as disable_check_numerics
from gradtape._src.inspect.numerics import enable_check_numerics as enable_check_numerics
from gradtape._src.inspect.numerics import numerics_checked as numerics_checked
from gradtape._src.inspect.traps import Trap as Trap
from gradtape._src.ops.control.assertions import Assert as Assert
from gradtape._src.ops.control.assertions import assert_equal as assert_equal
from gradtape._src.ops.control.assertions import assert_greater as assert_greater
from gradtape._src.ops.control.assertions import assert_greater_equal as assert_greater_equal
from gradtape._src.ops.control.assertions import assert_less as assert_less
from gradtape._src.ops.control.assertions import assert_less_equal as assert_less_equal
from gradtape._src.ops.control.assertions import assert_near as assert_near
from gradtape._src.ops.control.assertions import assert_negative as assert_negative
from gradtape._src.ops.control.assertions import assert_non_negative as assert_non_negative
from gradtape._src.ops.control.assertions import assert_non_positive as assert_non_positive
from gradtape._src.ops.control.assertions import assert_none_equal as assert_none_equal
from gradtape._src.ops.control.assertions import assert_positive as assert_positive
from gradtape._src.ops.control.rank_and_type_assertions import assert_integer as assert_integer
from gradtape._src.ops.control.rank_and_type_assertions import (
    assert_proper_iterable as assert_proper_iterable,
)
from gradtape._src.ops.control.rank_and_type_assertions import assert_rank as assert_rank
from gradtape._src.ops.control.rank_and_type_assertions import (
    assert_rank_at_least as assert_rank_at_least,
)
from gradtape._src.ops.control.rank_and_type_assertions import assert_rank_in as assert_rank_in
from gradtape._src.ops.control.rank_and_type_assertions import (
    assert_same_float_dtype as assert_same_float_dtype,
)
from gradtape._src.ops.control.rank_and_type_assertions import assert_scalar as assert_scalar
from gradtape._src.ops.control.rank_and_type_assertions import assert_shapes as assert_shapes
from gradtape._src.ops.control.rank_and_type_assertions import assert_type as assert_type
from gradtape._src.ops.control.rank_and_type_assertions import (
    is_numeric_tensor as is_numeric_tensor,
)
from gradtape._src.ops.elementwise.identities import assert_all_finite as assert_all_finite
from gradtape._src.ops.elementwise.identities import check_numerics as check_numerics
