"""Plain generation with the engine's own front end: is the environment sound at all?"""

from __future__ import annotations

from tiny_models import Oracle, model_directory, prompts

LENGTHS = [40, 4, 17]
COUNT = 4


def drive(run) -> None:  # type: ignore[no-untyped-def]
    from vllm import LLM, SamplingParams

    seed, dtype = int(run.parameters["seed"]), run.parameters["dtype"]
    model = model_directory(run.shared, run.parameters["family"], dtype, seed)
    given = prompts(seed, LENGTHS)
    with run.step("start"):
        options = {"gpu_memory_utilization": 0.05} if run.device != "cpu" else {"block_size": 32}
        engine = LLM(model=model, dtype=dtype, enforce_eager=True, max_model_len=512, **options)
    with run.step("greedy tokens") as step:
        answers = engine.generate(
            [{"prompt_token_ids": ids} for ids in given],
            SamplingParams(max_tokens=COUNT, temperature=0.0),
            use_tqdm=False,
        )
        oracle = Oracle(model, run.device)
        same = 0
        for ids, answer in zip(given, answers, strict=True):
            own = list(answer.outputs[0].token_ids)
            same += sum(one == other for one, other in zip(own, oracle.greedy(ids, COUNT), strict=False))
        step.figure("tokens that equal transformers'", same)
        step.figure("tokens", COUNT * len(given))
        step.expect(
            same >= run.bounds["tokens"], f"only {same} of {COUNT * len(given)} tokens equal transformers'"
        )
