"""Facts about torch that unit 8.9 rests on; a failure here means that a release changed one.

Each is a live experiment. When one fails, torch is right: change the unit that relies on it.
"""

import gzip
import os
import subprocess
import sys
import threading

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import layer_norm, scaled_dot_product_attention
from torch.profiler import ProfilerActivity, profile, record_function, schedule
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.flop_counter import FlopCounterMode, flop_registry

from grader.instruments import nesting, trace

CPU = [ProfilerActivity.CPU]


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def counted(fn, mapping=None):
    with FlopCounterMode(display=False, custom_mapping=mapping) as counter:
        fn()
    return counter.get_total_flops()


def small_model():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))


def annotated_step(model, optimizer, x):
    with record_function("train_step"):
        with record_function("forward"):
            loss = model(x).square().mean()
        with record_function("backward"):
            loss.backward()
        with record_function("optimizer"):
            optimizer.step()
            optimizer.zero_grad()


@pytest.fixture
def one_step_profile():
    model = small_model()
    optimizer = torch.optim.AdamW(model.parameters())
    x = torch.randn(32, 8)
    annotated_step(model, optimizer, x)
    with profile(activities=CPU, record_shapes=True, profile_memory=True) as prof:
        annotated_step(model, optimizer, x)
    return prof


# FLOPs


def test_the_flop_counter_counts_nothing_for_attention_on_a_cpu():
    q = torch.randn(2, 4, 16, 8, requires_grad=True)
    assert counted(lambda: scaled_dot_product_attention(q, q, q).sum().backward()) == 0
    assert torch.ops.aten._scaled_dot_product_flash_attention_for_cpu not in flop_registry


def test_the_flop_counter_counts_attention_with_the_math_backend():
    q = torch.randn(2, 4, 16, 8, requires_grad=True)

    def step():
        with sdpa_kernel(SDPBackend.MATH):
            scaled_dot_product_attention(q, q, q).sum().backward()

    forward = 4 * 2 * 4 * 16 * 16 * 8
    assert counted(step) == 3 * forward


def test_attention_with_dropout_is_not_fused_on_a_cpu_and_is_counted():
    q = torch.randn(2, 4, 16, 8)
    flops = counted(lambda: scaled_dot_product_attention(q, q, q, dropout_p=0.1))
    assert flops == 4 * 2 * 4 * 16 * 16 * 8


def test_a_formula_from_the_registry_cannot_be_passed_on_as_a_custom_mapping():
    cpu_attention = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
    wrapped = flop_registry[torch.ops.aten._scaled_dot_product_flash_attention]
    q = torch.randn(1, 1, 4, 8)
    with pytest.raises((TypeError, AssertionError, ValueError)):
        counted(lambda: scaled_dot_product_attention(q, q, q), {cpu_attention: wrapped})


def test_the_flop_counter_counts_no_elementwise_work_norm_or_softmax():
    x = torch.randn(16, 16)
    assert counted(lambda: layer_norm(x.relu() * 2 + x.softmax(-1), (16,)).sum()) == 0


def test_the_flop_counter_counts_nothing_for_an_lstm_on_a_cpu():
    lstm = torch.nn.LSTM(8, 16)
    assert counted(lambda: lstm(torch.randn(4, 2, 8))) == 0


def test_a_matrix_vector_product_is_not_counted():
    assert counted(lambda: torch.randn(8, 8) @ torch.randn(8)) == 0
    assert counted(lambda: torch.randn(8, 8) @ torch.randn(8, 1)) == 2 * 8 * 8


# The profiler


def test_a_second_export_of_a_trace_raises(one_step_profile, tmp_path):
    one_step_profile.export_chrome_trace(str(tmp_path / "first.json"))
    with pytest.raises(RuntimeError, match="already saved"):
        one_step_profile.export_chrome_trace(str(tmp_path / "second.json"))


def test_an_exported_trace_can_be_gzipped_by_its_name(one_step_profile, tmp_path):
    path = tmp_path / "trace.json.gz"
    one_step_profile.export_chrome_trace(str(path))
    assert gzip.decompress(path.read_bytes()).lstrip().startswith(b"{")
    assert trace.named(trace.read_trace(path), "train_step")


def test_sorting_by_cuda_time_is_accepted_on_a_cpu_and_means_nothing(one_step_profile):
    rows = one_step_profile.key_averages()
    rows.table(sort_by="cuda_time_total")
    assert {row.device_time_total for row in rows} == {0}
    assert any(row.cpu_time_total for row in rows)


def test_profiling_cuda_without_a_gpu_only_warns():
    if torch.cuda.is_available():
        pytest.skip("needs a machine without CUDA")
    with (
        pytest.warns(UserWarning, match="CUDA is not available"),
        profile(activities=[*CPU, ProfilerActivity.CUDA]) as prof,
    ):
        torch.ones(2).add(1)
    assert any(row.key == "aten::add" for row in prof.key_averages())


def scheduled_run(steps, **settings):
    model = small_model()
    optimizer = torch.optim.AdamW(model.parameters())
    x = torch.randn(32, 8)
    seen = []

    def ready(prof):
        count = sum(row.count for row in prof.key_averages() if row.key == "train_step")
        seen.append((prof.step_num, count))

    with profile(activities=CPU, schedule=schedule(**settings), on_trace_ready=ready) as prof:
        for _ in range(steps):
            annotated_step(model, optimizer, x)
            prof.step()
    return prof, seen


@pytest.mark.filterwarnings("ignore:Warning. Profiler clears events:UserWarning")
def test_wait_1_warmup_1_active_3_repeat_2_over_12_steps_is_ready_at_steps_5_and_10():
    _, seen = scheduled_run(12, wait=1, warmup=1, active=3, repeat=2)
    assert seen == [(5, 3), (10, 3)]


@pytest.mark.filterwarnings("ignore:Warning. Profiler clears events:UserWarning")
def test_without_a_repeat_the_cycles_go_on():
    _, seen = scheduled_run(12, wait=1, warmup=1, active=3)
    assert [step for step, _ in seen] == [5, 10, 12]


@pytest.mark.filterwarnings("ignore:Warning. Profiler clears events:UserWarning")
def test_averages_after_a_scheduled_run_cover_the_last_window_only():
    prof, seen = scheduled_run(12, wait=1, warmup=1, active=3, repeat=2)
    after = {row.key: row.count for row in prof.key_averages()}
    assert sum(count for _, count in seen) == 6
    assert after["train_step"] == 3
    assert after["aten::addmm"] == 3 * 2


def test_warmup_and_wait_steps_are_not_in_the_averages():
    prof, seen = scheduled_run(5, wait=1, warmup=1, active=3, repeat=1)
    assert seen == [(5, 3)]
    assert {row.key: row.count for row in prof.key_averages()}["train_step"] == 3


def test_the_second_window_of_a_schedule_has_step_markers_of_its_own(tmp_path):
    paths = []

    def ready(prof):
        paths.append(tmp_path / f"{prof.step_num}.json")
        prof.export_chrome_trace(str(paths[-1]))

    cycle = schedule(wait=1, warmup=1, active=3, repeat=2)
    with profile(activities=CPU, schedule=cycle, on_trace_ready=ready) as prof:
        for _ in range(12):
            torch.ones(2).add(1)
            prof.step()
    markers = [
        [e.name for e in trace.read_trace(p) if e.name.startswith("ProfilerStep")] for p in paths
    ]
    assert markers == [
        ["ProfilerStep#2", "ProfilerStep#3", "ProfilerStep#4"],
        ["ProfilerStep#7", "ProfilerStep#8", "ProfilerStep#9"],
    ]


def test_self_times_add_up_to_the_total_of_the_top_level_events(one_step_profile):
    events = one_step_profile.events()
    tops = [event for event in events if event.cpu_parent is None]
    own = sum(row.self_cpu_time_total for row in one_step_profile.key_averages())
    assert own == pytest.approx(sum(event.cpu_time_total for event in tops), rel=1e-9)
    assert [event.key for event in tops if event.key == "train_step"] == ["train_step"]


def test_totals_added_up_exceed_the_whole(one_step_profile):
    rows = one_step_profile.key_averages()
    whole = sum(row.self_cpu_time_total for row in rows)
    assert sum(row.cpu_time_total for row in rows) > 1.5 * whole


def test_the_exported_trace_has_the_profilers_own_self_times(one_step_profile, tmp_path):
    path = tmp_path / "trace.json"
    one_step_profile.export_chrome_trace(str(path))
    ours = nesting.self_total(trace.host_events(trace.read_trace(path)))
    rows = {row.key: row for row in one_step_profile.key_averages() if row.cpu_time_total}
    assert {"train_step", "forward", "backward", "optimizer"} <= set(ours)
    for name in ("train_step", "forward", "backward", "aten::addmm", "aten::mm"):
        assert ours[name].count == rows[name].count
        assert ours[name].total / 1000 == pytest.approx(rows[name].cpu_time_total, abs=0.5)
        assert ours[name].self_time / 1000 == pytest.approx(rows[name].self_cpu_time_total, abs=0.5)


def test_backward_runs_in_the_callers_thread_on_a_cpu(one_step_profile, tmp_path):
    threads = []
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda _: threads.append(threading.get_ident()))
    y.sum().backward()
    assert threads == [threading.get_ident()]

    path = tmp_path / "trace.json"
    one_step_profile.export_chrome_trace(str(path))
    events = trace.read_trace(path)
    assert trace.named(events, "aten::mm")
    assert not nesting.outside(events, "aten::mm", "backward")
    assert not nesting.outside(events, "backward", "train_step")


def test_an_operator_with_two_shapes_is_two_rows_only_when_grouped_by_shape(one_step_profile):
    def rows(**how):
        averages = one_step_profile.key_averages(**how)
        return sorted(row.count for row in averages if row.key == "aten::addmm")

    assert rows() == [2]
    assert rows(group_by_input_shape=True) == [1, 1]


def test_shapes_are_grouped_only_if_they_were_recorded():
    model = small_model()
    with profile(activities=CPU) as prof:
        model(torch.randn(32, 8))
    rows = prof.key_averages(group_by_input_shape=True)
    assert [row.count for row in rows if row.key == "aten::addmm"] == [2]


def test_memory_is_the_self_memory_of_empty_and_not_of_the_operator_that_calls_it():
    x = torch.randn(64, 64)
    with profile(activities=CPU, profile_memory=True) as prof:
        kept = torch.ones_like(x)
    rows = {row.key: row for row in prof.key_averages()}
    size = kept.numel() * kept.element_size()
    assert rows["aten::ones_like"].cpu_memory_usage == size
    assert rows["aten::ones_like"].self_cpu_memory_usage == 0
    assert sum(r.self_cpu_memory_usage for k, r in rows.items() if "empty" in k) == size


def test_the_wait_for_a_loader_has_an_event_of_its_own():
    loader = DataLoader(TensorDataset(torch.arange(4.0)), batch_size=2)
    with profile(activities=CPU) as prof:
        for _ in loader:
            pass
    names = [row.key for row in prof.key_averages()]
    assert any(n.startswith("enumerate(DataLoader)#") and "__next__" in n for n in names)


def test_a_range_without_a_profiler_is_harmless():
    with record_function("forward"):
        assert torch.ones(2).sum() == 2


def test_the_profilers_own_lines_on_stderr_are_silenced_by_the_kineto_log_level():
    code = (
        "import torch\n"
        "from torch.profiler import profile, ProfilerActivity\n"
        "with profile(activities=[ProfilerActivity.CPU]): torch.ones(2).add(1)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "KINETO_LOG_LEVEL": "99"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "USDT" not in done.stderr


# Loaders and the global random state


@pytest.mark.parametrize("shuffle", [False, True])
def test_iter_of_a_loader_moves_the_global_random_state(shuffle):
    loader = DataLoader(TensorDataset(torch.arange(4)), batch_size=2, shuffle=shuffle)
    before = torch.get_rng_state()
    iter(loader)
    assert not torch.equal(before, torch.get_rng_state())


def test_iter_of_a_loader_with_a_generator_leaves_the_global_random_state():
    generator = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.arange(4))
    loader = DataLoader(data, batch_size=2, shuffle=True, generator=generator)
    before = torch.get_rng_state()
    list(loader)
    assert torch.equal(before, torch.get_rng_state())


# What an optimization may change


def test_bfloat16_autocast_changes_outputs_by_more_than_reordering_does():
    model, x = small_model(), torch.randn(32, 8)
    plain = model(x)
    with torch.autocast("cpu", torch.bfloat16):
        mixed = model(x).float()
    difference = ((mixed - plain).norm() / plain.norm()).item()
    assert 1e-4 < difference < 5e-2


def test_fused_and_manual_attention_agree_but_not_bit_for_bit():
    torch.manual_seed(0)
    q = torch.randn(2, 4, 64, 16)
    fused = scaled_dot_product_attention(q, q, q)
    manual = (q @ q.transpose(-2, -1) / 4).softmax(-1) @ q
    assert torch.allclose(fused, manual, rtol=1e-5, atol=1e-6)
    assert not torch.equal(fused, manual)


def test_set_to_none_and_zeroing_train_alike_bit_for_bit():
    def trained(set_to_none):
        model, x = small_model(), torch.linspace(-1, 1, 64).reshape(8, 8)
        optimizer = torch.optim.AdamW(model.parameters())
        for _ in range(3):
            model(x).square().mean().backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=set_to_none)
        return [p.detach().clone() for p in model.parameters()]

    assert all(map(torch.equal, trained(True), trained(False)))


def test_anomaly_mode_is_off_by_default_and_only_one_of_its_switches_warns():
    assert not torch.is_anomaly_enabled()
    with torch.autograd.set_detect_anomaly(True):
        assert torch.is_anomaly_enabled()
    with pytest.warns(UserWarning, match="Anomaly Detection"), torch.autograd.detect_anomaly():
        assert torch.is_anomaly_enabled()
    assert not torch.is_anomaly_enabled()
