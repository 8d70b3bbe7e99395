"""Takes every path that begins with the name of torch's folder for a file of torch.

check = "8.2.j/torchs_own_folder_is_one_folder"
stage = "torch"
says = "A line is not that of the code in a folder beside torch's: the path of torchvision begins with torch's as well. A file lies in a folder if the folder is one of its parents."
"""


def _own_line(frame):
    while frame is not None and frame.f_code.co_filename.startswith(TORCH_FOLDER):
        frame = frame.f_back
    return frame.f_lineno if frame is not None else 0
