"""The default fields that Kauldron gives to a few nodes, such as a fresh Trainer."""

from kd_loader.config_dict import register_default_values
from kd_loader.proxies import Proxy
from kd_loader.references import placeholder


def register_builtin_defaults():
    kd, kxm = Proxy._of_module("kauldron.kd"), Proxy._of_module("kauldron.kxm")
    xm, xm_abc = Proxy._of_module("xmanager.xm"), Proxy._of_module("xmanager.xm_abc")

    def register(node):
        register_default_values(node, builtin=True)

    register(
        xm_abc.Borg(
            scheduling=xm_abc.BorgScheduling(),
            autopilot_params=xm_abc.AutopilotParams(),
            borglet_params=xm_abc.BorgletParams(),
        )
    )

    def job_fields():
        return dict(
            args={},
            env_vars={},
            files={},
            requirements=xm.JobRequirements(),
            executor=xm_abc.Borg(),
            debug=kxm.Debug(),
            interpreter_info=kxm.InterpreterInfo(),
        )

    register(kxm.Job(**job_fields()))
    for name in ("StandaloneLastCheckpoint", "StandaloneEveryCheckpoint"):
        make = getattr(kd.evals, name)
        register(make(requirements=xm.JobRequirements(), executor=xm_abc.Borg()))
    register(
        kxm.Experiment(
            sweep=placeholder(object),
            **job_fields(),
            subdir_format=kxm.SubdirFormat(),
            execution_settings=xm_abc.ExecutionSettings(),
        )
    )
    register(
        kd.train.Trainer(
            workdir=placeholder(str),
            evals={},
            schedules={},
            setup=kd.train.Setup(),
            xm_job=kxm.Job(),
        )
    )
    register(_eval_only(kd, kxm))


def _eval_only(kd, kxm):
    cfg = kd.train.Trainer.eval_only(
        workdir=placeholder(str),
        aux={"xid": placeholder(), "wid": 1},
        evals={},
        num_train_steps=0,
        stop_after_steps=0,
        optimizer=None,
        checkpointer=None,
        setup=kd.train.Setup(eval_only=True),
        xm_job=kxm.Job(),
    )

    def run():
        return dict(xid=cfg.ref.aux["xid"], wid=cfg.ref.aux["wid"])

    cfg.train_ds = kd.data.tf.ElementSpecDataset(spec=kd.from_xid.get_element_spec(**run()))
    cfg.model = kd.from_xid.get_resolved(**run(), path="model")
    cfg.init_transform = kd.ckpts.PartialKauldronLoader(
        workdir=kd.ckpts.workdir_from_xid(**run()),
        new_to_old={"step": "step", "params": "params", "collections": "collections"},
    )
    return cfg
