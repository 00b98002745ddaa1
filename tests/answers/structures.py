"""In what the results of an operation come: a tensor, a list, a tuple, or one with field names."""

from typing import Any

import numpy as np

from answers.dtypes import questions

# More calls, of functions with several results.
MORE = {
    "linalg.lu_matrix": "tf.linalg.lu(x)",
    "ctc_greedy_decoder": "tf.nn.ctc_greedy_decoder(tf.ones((3,1,3)),[3])",
    "ctc_beam_search_decoder": "tf.nn.ctc_beam_search_decoder(tf.ones((3,1,3)),[3])",
    "fractional_avg_pool": "tf.nn.fractional_avg_pool(tf.ones((1,4,4,1)),[1,1.5,1.5,1],seed=1)",
    "log_uniform": "tf.random.log_uniform_candidate_sampler([[1]],1,2,True,5,seed=1)",
    "uniform": "tf.random.uniform_candidate_sampler([[1]],1,2,True,5,seed=1)",
    "learned_unigram": "tf.random.learned_unigram_candidate_sampler([[1]],1,2,True,5,seed=1)",
    "fixed_unigram": "tf.random.fixed_unigram_candidate_sampler([[1]],1,2,True,5,unigrams=[1.]*5)",
    "all_candidates": "tf.random.all_candidate_sampler([[1]],1,2,True,seed=1)",
    "accidental_hits": "tf.nn.compute_accidental_hits([[1]],[1,2],1)",
    "quantize": "tf.quantization.quantize([1.,2.],0.,3.,tf.quint8)",
    "requantize": "tf.quantization.quantize(x,0.,5.,tf.qint8)",
    "nms_scores": "tf.image.non_max_suppression_with_scores([[0.,0.,1.,1.]],[0.5],1)",
    "nms_padded": "tf.image.non_max_suppression_padded([[0.,0.,1.,1.]],[0.5],1)",
    "nms_combined": "tf.image.combined_non_max_suppression("
    "tf.ones((1,1,1,4)),tf.ones((1,1,1)),1,1)",
    "sample_box": "tf.image.sample_distorted_bounding_box([4,4,1],[[[0.,0.,1.,1.]]],seed=1)",
    "stateless_box": "tf.image.stateless_sample_distorted_bounding_box("
    "[4,4,1],[[[0.,0.,1.,1.]]],seed=[1,2])",
    "unicode_decode": "tf.strings.unicode_decode_with_offsets('ab','UTF-8')",
    "unicode_split": "tf.strings.unicode_split_with_offsets('ab','UTF-8')",
    "setdiff": "tf.sparse.fill_empty_rows(tf.sparse.from_dense([[1.,0.],[0.,0.]]),0.)",
    "required_space": "tf.required_space_to_batch_paddings([3],[2])",
    "all_moments": "tf.nn.moments(x,[0,1])",
    "dedup": "tf.raw_ops.Unique(x=[1,1])",
    "value_and_gradient": "tf.linalg.experimental.conjugate_gradient("
    "tf.linalg.LinearOperatorFullMatrix(x,is_self_adjoint=True,is_positive_definite=True),x[0])",
    "listdiff": "tf.raw_ops.ListDiff(x=[1,2],y=[1])",
    "svd": "tf.raw_ops.Svd(input=x)",
    "qr": "tf.raw_ops.Qr(input=x)",
    "eig": "tf.raw_ops.Eig(input=x,Tout=tf.complex64)",
    "eigh": "tf.raw_ops.SelfAdjointEigV2(input=x)",
    "lu": "tf.raw_ops.Lu(input=x)",
    "slogdet": "tf.raw_ops.LogMatrixDeterminant(input=x)",
    "top": "tf.raw_ops.TopKV2(input=x,k=1)",
    "argmax": "tf.raw_ops.MaxPoolWithArgmax(input=x[None,:,:,None],ksize=[1,2,2,1],"
    "strides=[1,1,1,1],padding='SAME')",
    "softmax": "tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=x,labels=x)",
    "sparse_softmax": "tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=x,labels=[0,1,2])",
    "counts": "tf.raw_ops.UniqueWithCounts(x=[1,1])",
    "broadcast_args": "tf.raw_ops.BroadcastGradientArgs(s0=[1],s1=[2])",
    "batch_norm": "tf.raw_ops.FusedBatchNormV3(x=x[None,:,:,None],scale=[1.],offset=[0.],"
    "mean=[],variance=[])",
    "unpack": "tf.raw_ops.Unpack(value=x,num=3)",
    "split": "tf.raw_ops.Split(axis=0,value=x,num_split=3)",
    "identity_n": "tf.raw_ops.IdentityN(input=[x,x])",
    "shape_n": "tf.raw_ops.ShapeN(input=[x,x])",
    "partition": "tf.raw_ops.DynamicPartition(data=x,partitions=[0,1,0],num_partitions=2)",
    "unique_v2": "tf.raw_ops.UniqueV2(x=[1,1],axis=[0])",
    "unique_v3": "tf.raw_ops.UniqueWithCountsV2(x=[1,1],axis=[0])",
}


def shown(tf: Any, x: Any) -> str:
    """A structure in few words."""
    if isinstance(x, (tuple, list)):
        parts = [shown(tf, part) for part in x]
        fields = getattr(x, "_fields", None)
        if fields is not None:
            parts = [f"{name}={part}" for name, part in zip(fields, parts, strict=True)]
        name = "list" if type(x).__name__ == "_ListWrapper" else type(x).__name__
        return f"{name}({','.join(parts)})"
    if isinstance(x, tf.Tensor):
        return "tensor"
    return type(x).__name__


def answers(tf: Any) -> dict[str, str]:
    """Structures by expression, for float32."""
    calls = [
        *questions(),
        *((name, call, [[4, 1, 0], [1, 3, 1], [0, 1, 5]]) for name, call in MORE.items()),
    ]
    found = {}
    for name, call, value in calls:
        x = tf.cast(tf.constant(np.asarray(value)), tf.float32)
        try:
            found[f"{name} structure"] = shown(tf, eval(call, {"tf": tf, "x": x, "operator": None}))
        except Exception:  # noqa: BLE001 (what is not accepted is the dtypes' matter)
            found[f"{name} structure"] = "raises"
    return found


# Where ours differs, by a pattern of "question: theirs, ours: ours"; and why.
DIFFERENCES = {
    r"(quantize|requantize|broadcast_args|eig|batch_norm|listdiff|learned_unigram) .*": (
        "ours has no such function"
    ),
    r"nn.nce_loss.*: raises, ours: tensor": "ours takes labels as a list",
    r"nms_padded .*: raises, ours: .*": "ours takes lists",
}
