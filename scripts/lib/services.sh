# Private servers for the tests. Sourced by the scripts, after common.sh.
#
# Each is a child of this shell and ends with it, even when the shell is killed.
# shellcheck shell=bash

service_pids=()
service_dir=

need_services() {
    postgres_bin >/dev/null || install_packages "PostgreSQL, for the tests" postgresql
    need_command redis-server "Redis, for the tests" redis-server
    need_command tinyproxy "an HTTP proxy, which the tests start themselves" tinyproxy-bin
    need_command microsocks "a SOCKS5 proxy, which the tests start themselves" microsocks
}

# The folder of the newest PostgreSQL; Debian does not put it on the PATH.
postgres_bin() {
    local found
    found=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
    [[ -x $found/initdb ]] || found=$(dirname "$(command -v initdb)") || return 1
    [[ -x $found/initdb ]] && printf '%s' "$found"
}

start_services() {
    # /tmp, because the user postgres must be able to enter every parent folder
    # and because a socket's path may not be long.
    service_dir=$(mktemp -d /tmp/blazon-test.XXXXXX)
    chmod 711 "$service_dir"
    start_postgres
    start_redis
}

# as_postgres COMMAND...: PostgreSQL refuses to run as root.
as_postgres() {
    local user=()
    ((EUID != 0)) || user=(--reuid=postgres --regid=postgres --init-groups)
    cd / && exec setpriv "${user[@]}" --pdeathsig INT "$@"
}

start_postgres() {
    local bin dir=$service_dir/postgres port log=$service_dir/postgres.log
    bin=$(postgres_bin) || die "PostgreSQL was not found"
    mkdir "$dir"
    ((EUID != 0)) || chown postgres: "$dir"
    (as_postgres "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync) \
        >"$log" 2>&1 || die "initdb failed: $(tail -n 5 "$log")"
    port=$(free_port)
    (as_postgres "$bin/postgres" -D "$dir/data" -p "$port" -h 127.0.0.1 -k "$dir" \
        -c fsync=off -c synchronous_commit=off -c full_page_writes=off \
        -c shared_buffers=64MB -c max_connections=200) >>"$log" 2>&1 &
    service_pids+=("$!:QUIT")
    wait_until "$!" "$log" "$bin/pg_isready" -q -h 127.0.0.1 -p "$port"
    export BLAZON_TEST_POSTGRES_URL=postgres://postgres@127.0.0.1:$port/postgres
    say "PostgreSQL: 127.0.0.1:$port"
}

start_redis() {
    local dir=$service_dir/redis port log=$service_dir/redis.log
    mkdir "$dir"
    port=$(free_port)
    setpriv --pdeathsig TERM redis-server --port "$port" --bind 127.0.0.1 --dir "$dir" --save '' --appendonly no \
        >"$log" 2>&1 &
    service_pids+=("$!:TERM")
    wait_until "$!" "$log" port_taken "$port"
    export BLAZON_TEST_REDIS_URL=redis://127.0.0.1:$port
    say "Redis: 127.0.0.1:$port"
}

# wait_until PID LOG CHECK...: until CHECK succeeds, while PID lives, for 30 s.
wait_until() {
    local pid=$1 log=$2
    shift 2
    for _ in {1..300}; do
        kill -0 "$pid" 2>/dev/null || die "a server ended at once: $(tail -n 5 "$log")"
        ! "$@" || return 0
        sleep 0.1
    done
    die "a server did not answer: $(tail -n 5 "$log")"
}

# Says nothing, so that the runner's count stays the last line.
stop_services() {
    local entry
    for entry in "${service_pids[@]}"; do
        kill -"${entry#*:}" "${entry%:*}" 2>/dev/null || true
        wait "${entry%:*}" 2>/dev/null || true
    done
    service_pids=()
    [[ -z $service_dir ]] || rm -rf "$service_dir"
}
