"""Takes autocast for half-precision weights and gradients.

check = "8.3.e/named_policies"
stage = "numpy"
says = "This is what half-precision gradients give under autocast. torch.autocast casts on the way in: weights and gradients stay in fp32."
"""

PRESETS = {**PRESETS, "autocast": {**PRESETS["autocast"], "gradient": 2}}
