"""Changes in place the counter that the backward reads.

check = "8.8.i/warmup_gradients_compiled"
stage = "torch"
says = "The outputs are right and the gradients are those of the next call: the counter is changed in place before aot_eager reads it for the backward."
source = "pytorch/pytorch#197039"
"""


class _Warmup(_Warmup):
    def forward(self, x):
        if self.training:
            self.calls += 1
        scale = (self.calls.to(torch.float64) / self.steps).clamp(max=1.0)
        return x * self.gain * scale.to(x.dtype)
