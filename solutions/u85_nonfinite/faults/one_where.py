"""Uses one where, behind the function.

check = "8.5.m/gradient_behind_a_where"
stage = "torch"
says = "0 times the infinite slope of the branch that was not chosen is NaN. The function must not see that input: a where before it, too."
also = ["8.5.m/gradient_of_the_other_branch", "8.5.m/function_sees_safe_input_only", "8.5.m/masks_that_broadcast"]
source = "pytorch/pytorch#68425, pytorch/pytorch#187297"
"""


def where_safe(function, x, keep, safe, other):
    harmless = x
    return torch.where(keep, function(harmless), other)
