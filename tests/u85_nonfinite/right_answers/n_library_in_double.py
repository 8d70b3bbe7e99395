"""Uses the library in float64: its norm has the subgradient 0, so a row of zeros is fine."""


def unit_rows(x, eps=1e-6):
    if x.shape[-1] == 0:
        return x * 1
    return torch.nn.functional.normalize(x.double(), dim=-1, eps=eps).to(x.dtype)
