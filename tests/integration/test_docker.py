#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Containers on a real dockerd: what they are, who owns a port behind them, and how a profile that expects them judges them.
Docker's own command line tells what is true."""
import json
import os
import pathlib
import re
import subprocess
import sys

from check import LAKETOP, CannotRun, Lab, end, free_port, goes_backwards, laketop, ok, screen, service, skip, status, story, until

own = Lab("docker", "docker")
SOCKET = own.home / "run" / "docker.sock"
SAYS = {"mlflow-server": "running", "jupyter": "running", "airflow-init": "exited", "unity-catalog": "exited", "zookeeper": "running", "kafka": "running"}
EXPECTED = {  # service: (container, keys)
    "mlflow": ("mlflow-server", {}), "scheduler": ("airflow-scheduler", {}), "notebooks": ("jupyter", {}), "migration": ("airflow-init", {}),
    "catalog": ("unity-catalog", {}), "lineage": ("marquez-api", {}), "ailing": ("ailing-web", {}),
    "keeper": ("ailing-zookeeper", {"kind": "zookeeper", "version": "3.8"}),
}


def docker(*args):
    done = subprocess.run(["docker", *args], capture_output=True, text=True, env={**os.environ, "DOCKER_HOST": f"unix://{SOCKET}"}, timeout=120, check=True)
    return done.stdout.strip()


def inspect(name):
    return json.loads(docker("inspect", name))[0]


def published(name):
    return int(docker("port", name).splitlines()[0].rpartition(":")[2])


def as_nobody(*args, groups=()):
    """laketop as a user who sees no foreign socket's owner."""
    who = ["setpriv", "--reuid=nobody", "--regid=nogroup", f"--groups={','.join(map(str, groups))}" if groups else "--clear-groups"]
    done = subprocess.run([*who, LAKETOP, *args, "--json", "--profile", own.profile], capture_output=True, text=True, timeout=60)
    return json.loads(done.stdout)


def ports(document):
    return {row["port"]: row for row in document["tables"]["ports"]}


def ours():
    """The container services of the lab's profile: name, container, port."""
    text = pathlib.Path(own.profile).read_text()
    return [(name, re.search(r"^container = (.*)$", body, re.M)[1], int(re.search(r"^port = (\d+)$", body, re.M)[1]))
            for name, body in re.findall(r"^\[service (\S+)\]\n((?:[^\[\n].*\n)*)", text, re.M) if "container = " in body]


def awaited_document(holds, look):
    """The first look of which it holds, or the last one."""
    return until(120, lambda: (told := look()) and holds(told) and told, 0.5) or look()


def containers_are_told_as_docker_tells_them():
    path = own.home / "record"
    until(60, lambda: inspect("jupyter")["State"]["Health"]["Status"] == "unhealthy" and inspect("airflow-scheduler")["RestartCount"] > 1, 0.5)
    before = inspect("airflow-scheduler")["RestartCount"]
    laketop("status", "--profile", own.profile, "--record", str(path))
    after = inspect("airflow-scheduler")["RestartCount"]
    facts = [line["facts"] for line in map(json.loads, path.read_text().splitlines()) if line.get("part") == "docker"][-1]
    told = {c["name"]: c for c in facts["containers"]}
    path.unlink()
    ok("every-container-is-seen-and-no-other", sorted(told) == sorted(docker("ps", "-a", "--format", "{{.Names}}").split()), sorted(told))
    for name, state in SAYS.items():
        c, truth = told.get(name, {}), inspect(name)
        ok(f"{name}-is-told-with-image-and-state", (c.get("state"), c.get("image"), c.get("restarts")) == (state, truth["Config"]["Image"], 0), c)
    ok("the-unhealthy-one-is-told-as-unhealthy", told["jupyter"].get("health") == "unhealthy", told["jupyter"])
    c = told["airflow-scheduler"]
    ok("the-restarting-one-is-told-with-its-count", before <= c["restarts"] <= after and c.get("exit_code", 3) == 3, f"{before} {c} {after}")
    ok("those-that-ended-are-told-with-their-exit-code", (told["airflow-init"]["exit_code"], told["unity-catalog"]["exit_code"]) == (0, 1), told)
    ok("published-ports-are-told", told["mlflow-server"]["ports"] == f"127.0.0.1:{published('mlflow-server')}->8000", told["mlflow-server"])
    ok("the-host's-network-is-told", told["kafka"]["network"] == "host" and not told["kafka"].get("ports"), told["kafka"])


def a_server_on_the_hosts_network_is_its_container():
    document = awaited_document(lambda d: all((s := service(d, name))["verdict"] == "serving" and s["owner"]["container"] == container
                                              for name, container, _ in ours()), lambda: status(profile=own.profile))
    for name, container, port in ours():
        s = service(document, name)
        ok(f"{name}-serves", s["verdict"] == "serving", f"{s['verdict']}: {s['reason']}")
        ok(f"{name}-is-owned-by-container-{container}", s["owner"]["container"] == container and not s["owner"]["probable"], s["owner"])
        ok(f"{name}-has-the-pid-of-a-process-in-there", s["owner"]["pid"] in pids_of(container), s["owner"])
    rows = ports(json.loads(laketop("ports", "--json", "--profile", own.profile).stdout))
    for name, container, port in ours():
        ok(f"ports-say-that-{container}-holds-its-port", rows[port]["owner"]["container"] == container, rows[port])


def pids_of(container):
    return [int(line.split()[1]) for line in docker("top", container).splitlines()[1:]]


def owners_as_far_as_a_stranger_sees():
    if os.geteuid() != 0:
        return skip("owners-as-far-as-a-stranger-sees", "only root can become somebody else")
    document = awaited_document(lambda d: all(service(d, name)["verdict"] == "serving" for name, _, _ in ours()), lambda: as_nobody("status"))
    rows = ports(as_nobody("ports"))
    for name, container, port in ours():
        s, truth = service(document, name), inspect(container)
        ok(f"{name}-serves-also-for-nobody", s["verdict"] == "serving", f"{s['verdict']}: {s['reason']}")
        for what, owner in (("status", s["owner"]), ("ports", rows[port]["owner"])):
            ok(f"nobody-is-told-the-id-of-{container}-by-{what}-and-that-it-is-probable",
               owner["container"] == truth["Id"][:12] and owner["probable"] and owner["pid"] in pids_of(container), owner)
        ok(f"nobody-reads-why-docker-says-nothing-of-{container}",
           any(e["link"] == "running" and e["state"] == "unknown" and "permission denied" in e["value"] for e in s["evidence"]), s["evidence"])
    owner = rows[published("mlflow-server")]["owner"]
    ok("nobody-is-never-told-a-wrong-container-behind-docker-proxy", owner["container"] is None and owner["process"] in (None, "docker-proxy"), owner)
    gid = SOCKET.stat().st_gid
    if not gid:
        return skip("a-member-of-group-docker-is-told-names", "the socket belongs to no group of its own")
    document, rows = as_nobody("status", groups=(gid,)), ports(as_nobody("ports", groups=(gid,)))
    for name, container, port in ours():
        for what, owner in (("status", service(document, name)["owner"]), ("ports", rows[port]["owner"])):
            ok(f"a-member-of-group-docker-is-told-by-{what}-that-it-is-{container}", owner["container"] == container and owner["pid"] in pids_of(container),
               owner)
    owner = rows[published("mlflow-server")]["owner"]
    ok("a-member-of-group-docker-is-told-who-is-behind-docker-proxy", owner["container"] == "mlflow-server", owner)


def published_ports_belong_to_their_container():
    port = published("mlflow-server")
    row = ports(json.loads(laketop("ports", "--json", "--profile", own.profile).stdout))[port]
    ok("a-published-port-is-its-container's-and-not-docker-proxy's", row["owner"]["container"] == "mlflow-server" and row["owner"]["pid"] is None, row)
    text = laketop("ports", "--profile", own.profile).stdout
    line = next((r for r in text.splitlines() if f":{port}:" in r), "")
    ok("the-text-of-ports-says-the-same", "container mlflow-server" in line and "docker-proxy" not in line, line)


def ail():
    """Two more, which answer while Docker's own check of them fails: a web server, and the lab's ZooKeeper once more."""
    web, keeper, admin = free_port(), free_port(), free_port()
    sick = ["--init", "--health-cmd", "false", "--health-interval", "1s", "--health-retries", "1"]
    docker("run", "-d", *sick, "--name", "ailing-web", "-p", f"127.0.0.1:{web}:8000", inspect("mlflow-server")["Config"]["Image"], "httpd", "-f", "-p",
           "8000", "-h", "/etc")
    truth = inspect("zookeeper")
    config = pathlib.Path(truth["Args"][-1])
    changed = re.sub(r"clientPort=\d+", f"clientPort={keeper}", re.sub(r"admin.serverPort=\d+", f"admin.serverPort={admin}", config.read_text()))
    mine = config.with_name("ailing.cfg")
    mine.write_text(re.sub(r"dataDir=.*", f"dataDir={own.home}/data/ailing", changed))
    volumes = [w for bind in truth["HostConfig"]["Binds"] for w in ("-v", bind)]
    docker("run", "-d", *sick, "--name", "ailing-zookeeper", "--network", "host", *volumes, truth["Config"]["Image"],
           *truth["Config"]["Cmd"][:-1], str(mine))
    return {"ailing": web, "keeper": keeper}


def expecting(known):
    """A profile that expects containers; the ports of those that never listen are free ones."""
    lines = ["[laketop]", "profile = containers"]
    for name, (container, more) in EXPECTED.items():
        lines += [f"[service {name}]", f"container = {container}", f"port = {known.get(name) or free_port()}",
                  "grace = 1s",
                  *(f"{k} = {v}" for k, v in {"kind": "other", **more}.items())]
    path = own.home / "containers.ini"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def a_profile_that_expects_containers_judges_them():
    known = {**ail(), "mlflow": published("mlflow-server")}
    path = expecting(known)
    seen = lambda: {s["name"]: s for s in status(profile=path)["services"]}  # noqa: E731
    until(60, lambda: all(inspect(c)["State"]["Health"]["Status"] == "unhealthy" for c in ("ailing-web", "ailing-zookeeper"))
          and seen()["keeper"]["verdict"] == "serving", 0.5)
    want = {"mlflow": "serving", "scheduler": "sick", "notebooks": "sick", "migration": "stopped", "catalog": "stopped", "lineage": "absent", "ailing": "sick",
            "keeper": "serving"}
    before = inspect("airflow-scheduler")["RestartCount"]
    # one that Docker begins again and again runs for a moment each time
    s = awaited_document(lambda s: all(s[name]["verdict"] == verdict for name, verdict in want.items()) and "restarting" in (s["scheduler"]["reason"] or ""), seen)
    after = inspect("airflow-scheduler")["RestartCount"]

    def judged(name, verdict, *words):
        one = s[name]
        ok(f"{EXPECTED[name][0]}-is-{verdict}", one["verdict"] == verdict and all(w in (one["reason"] or "") for w in words), f"{one['verdict']}: {one['reason']}")
    judged("mlflow", "serving")
    judged("scheduler", "sick", "restarting")  # between two tries Docker has forgotten the exit code
    count = re.search(r"restarting: (\d+) times", s["scheduler"]["reason"] or "")
    ok("the-count-of-its-restarts-is-docker's", count and before <= int(count[1]) <= after, f"{before} {s['scheduler']['reason']} {after}")
    judged("notebooks", "sick", "does not listen", "unhealthy")
    judged("migration", "stopped", "airflow-init", "Exited (0)")
    judged("catalog", "stopped", "unity-catalog", "Exited (1)")
    ok("what-exited-is-started-by-docker", s["catalog"]["remedy"] == "docker start unity-catalog", s["catalog"]["remedy"])
    judged("lineage", "absent", "marquez-api")
    judged("ailing", "sick", "health check")
    judged("keeper", "serving")
    finding = next((f for f in s["keeper"]["findings"] if f["finding"] == "unhealthy"), None)
    ok("one-that-answers-and-is-unhealthy-by-docker-is-a-warning",
       finding and finding["severity"] == "warning" and "ailing-zookeeper" in finding["reason"], s["keeper"]["findings"])

    docker("pause", "mlflow-server")
    try:
        s = awaited_document(lambda s: s["mlflow"]["verdict"] == "frozen", seen)
        judged("mlflow", "frozen", "mlflow-server", "paused")
        ok("what-is-paused-is-unpaused", s["mlflow"]["remedy"] == "docker unpause mlflow-server", s["mlflow"]["remedy"])
    finally:
        docker("unpause", "mlflow-server")
    docker("stop", "-t", "0", "mlflow-server")
    s = awaited_document(lambda s: s["mlflow"]["verdict"] == "stopped", seen)
    judged("mlflow", "stopped", "mlflow-server", "Exited")
    docker("start", "mlflow-server")
    # Docker accepts for it before it does itself
    ok("it-serves-once-it-is-started-again", until(60, lambda: seen()["mlflow"]["verdict"] == "serving"), seen()["mlflow"])


def the_screen_shows_them():
    with screen("--profile", str(own.home / "containers.ini"), env={"DOCKER_HOST": f"unix://{SOCKET}"}) as it:
        ok("the-overview-shows-verdicts-of-containers", until(60, lambda: it.word("scheduler") == "sick" and it.word("catalog") == "stopped"), it.text())
        it.press("/", *"scheduler", "Enter")
        it.press("Enter")
        ok("the-page-of-a-service-shows-its-container-with-state-and-restarts",
           until(60, lambda: re.search(r"container\s+airflow-scheduler.*\d+ restarts", it.text())), it.text())
        it.press("l")
        ok("l-of-what-is-wrong-with-it-opens-what-it-wrote", until(60, lambda: "no database" in it.text()), it.text())


def logs_are_followed_over_restarts_and_a_new_container_of_that_name():
    image, out = inspect("jupyter")["Config"]["Image"], own.home / "followed"
    path = own.home / "followed.ini"
    path.write_text("[laketop]\nprofile = followed\n" + "".join(f"[service {name}]\nkind = other\nport = {free_port()}\ncontainer = log-{name}\n"
                                                               for name in ("plain", "terminal")))

    def begin(name, word, *more):
        docker("run", "-d", *more, "--name", f"log-{name}", image, "sh", "-c",
               f"i=0; while true; do echo {word} out $i; echo {word} err $i >&2; i=$((i+1)); sleep 0.2; done")

    def printed(*words):
        return until(60, lambda: all(word in out.read_text() for word in words))

    begin("plain", "first")
    begin("terminal", "tty", "-t")
    with out.open("w") as to:
        child = subprocess.Popen([LAKETOP, "logs", "plain", "terminal", "-f", "--profile", str(path)], stdout=to, stderr=subprocess.STDOUT,
                                 stdin=subprocess.DEVNULL)
    try:
        ok("both-outputs-are-followed-with-and-without-a-terminal", printed("first out 5", "first err 5", "tty out 5", "tty err 5"), out.read_text())
        docker("restart", "-t", "0", "log-plain")
        ok("on-after-a-restart", until(60, lambda: out.read_text().count("first out 1\n") == 2), out.read_text()[-800:])
        docker("rm", "-f", "log-plain")
        begin("plain", "second")
        ok("on-with-a-new-one-of-that-name", printed("second out 1\n", "second err 1\n"), out.read_text()[-800:])
        lines = re.findall(r"^plain .* ((?:first|second) (?:out|err) \d+)$", out.read_text(), re.M)
        ok("no-line-came-twice", all(lines.count(line) <= (2 if line.startswith("first") else 1) for line in lines), lines)
    finally:
        child.terminate()
        child.wait(20)
    since = [json.loads(line) for line in laketop("logs", "plain", "--json", "--since", "1h", "--profile", str(path)).stdout.splitlines()]
    ok("since-is-for-this-container-s-own-lines", since and all("second" in e["text"] and e["source"] == "container" for e in since), since[:3])
    docker("rm", "-f", "log-plain", "log-terminal")
    done = laketop("logs", "plain", "--profile", str(path))
    ok("one-that-is-not-there-is-said", "there is no such container" in done.stderr, done)


def the_past_of_a_long_log_is_shown_backwards():
    many, burst, path = 12000, 3000, own.home / "long.ini"
    path.write_text(f"[laketop]\nprofile = long\n[service long]\nkind = other\nport = {free_port()}\ncontainer = log-long\n")
    docker("run", "-d", "--name", "log-long", inspect("jupyter")["Config"]["Image"], "sh", "-c", f"""
        i=0
        while [ ! -e /again ] && [ $i -lt {many} ]; do
            [ $((i % {burst})) != 0 ] || sleep 1.2
            printf 'INFO line %06d of the many\\n' $i; i=$((i + 1))
        done
        [ ! -e /again ] || echo INFO again
        touch /again
        while true; do echo INFO tick; sleep 0.5; done""")
    ok("it-writes", until(90, lambda: "tick" in docker("logs", "--tail", "1", "log-long")), docker("logs", "--tail", "1", "log-long"))
    docker("restart", "-t", "0", "log-long")

    def entries(*words):
        done = laketop("logs", "long", "--json", "--profile", str(path), *words)
        return [json.loads(line) for line in done.stdout.splitlines()]
    told = until(60, lambda: (e := entries("--since", "1h")) and any("again" in x["text"] for x in e) and e)
    ok("all-is-told-once-and-over-a-restart", [int(n) for e in told or [] for n in re.findall(r"line (\d{6})", e["text"])] == list(range(many)), (told or [])[-2:])
    moment = next(e["at"] for e in entries("--match", f"line {burst * 2:06d}"))
    with screen("--profile", str(path), env={"DOCKER_HOST": f"unix://{SOCKET}"}, columns=110, lines=30) as it:
        until(30, lambda: it.word("long"))
        it.press("g", "l")
        goes_backwards(it, many, burst, moment)
    docker("rm", "-f", "log-long")


try:
    with own:
        own.up()
        os.environ["DOCKER_HOST"] = f"unix://{SOCKET}"
        for each in (containers_are_told_as_docker_tells_them, a_server_on_the_hosts_network_is_its_container, owners_as_far_as_a_stranger_sees,
                     published_ports_belong_to_their_container, a_profile_that_expects_containers_judges_them, the_screen_shows_them,
                     logs_are_followed_over_restarts_and_a_new_container_of_that_name, the_past_of_a_long_log_is_shown_backwards):
            if not sys.argv[1:] or each.__name__ in sys.argv[1:]:
                story(each)
except CannotRun as e:
    skip("containers", e)
end()
