"""Counts calls in evaluation mode as well.

check = "8.8.i/warmup_counts_alike"
stage = "torch"
says = "Calls in evaluation mode were counted."
also = ["8.8.i/warmup_gradients_compiled", "8.8.i/warmup_is_compiled_once"]
"""


class _Warmup(_Warmup):
    def forward(self, x):
        self.calls = self.calls + 1
        scale = (self.calls.to(torch.float64) / self.steps).clamp(max=1.0)
        return x * self.gain * scale.to(x.dtype)
