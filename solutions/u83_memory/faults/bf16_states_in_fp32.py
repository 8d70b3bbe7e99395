"""Books fp32 states for a model that is bf16 as a whole.

check = "8.3.e/what_adamw_holds"
stage = "numpy"
says = "This is the textbook's 8 bytes of AdamW state a parameter. torch's optimizers take the dtype of the parameter: a bf16 model has 4."
also = ["8.3.e/named_policies"]
source = "meta-pytorch/torchtune#2254, Nerogar/OneTrainer#1005"
"""

PRESETS = {**PRESETS, "bf16": {**PRESETS["bf16"], "state": 4}}
