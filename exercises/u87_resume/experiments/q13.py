"""Two saves into one open file, then two loads."""

import io

import torch

buffer = io.BytesIO()
torch.save([1], buffer)
first = buffer.tell()
torch.save([2], buffer)
print(f"the first save ends at byte {first}, the second at {buffer.tell()}")
buffer.seek(0)
for number in (1, 2):
    try:
        print(f"load {number}:", torch.load(buffer, weights_only=True))
    except Exception as error:
        print(f"load {number}:", type(error).__name__, str(error).splitlines()[0][:60])
