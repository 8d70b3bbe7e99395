"""The rule of thumb, in forwards."""

forward, backward = 1, 2
plain = forward + backward
again = forward + forward + backward
print(
    f"plain {plain} forwards, with the forward run again {again}: a factor of {again / plain:.4f}"
)
