# Sourced by the scripts, which stand in the repository's root by then.
# shellcheck shell=bash

say() { printf '==> %s\n' "$*"; }
die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

as_root() {
    if ((EUID == 0)); then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "this needs root, and there is no sudo: $*"
    fi
}

refresh_packages() {
    command -v apt-get >/dev/null || die "please install $* yourself; this script knows only Debian's apt-get"
    [[ -z ${packages_refreshed-} ]] || return 0
    packages_refreshed=yes
    # Lists that cannot be refreshed may still name what is needed.
    as_root apt-get update -qq </dev/null >/dev/null 2>&1 || say "the package lists could not be refreshed"
}

# install_packages REASON PACKAGE...
install_packages() {
    local reason=$1 log
    shift
    say "installing $* ($reason)"
    refresh_packages "$@"
    log=$(mktemp)
    if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
        install -y -qq --no-install-recommends "$@" </dev/null >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        die "apt-get could not install $*"
    fi
    rm -f "$log"
}

# need_command COMMAND REASON PACKAGE...
need_command() {
    local command=$1
    shift
    command -v "$command" >/dev/null || install_packages "$@"
}

need_toolchain() {
    # rustup's installer changes the PATH of later shells only.
    command -v cargo >/dev/null || export PATH="$PATH:$HOME/.cargo/bin"
    command -v cargo >/dev/null || die "there is no Rust toolchain: see https://rustup.rs"
    # Several crates compile C (SQLite, TLS, zstd); all Rust needs a linker.
    need_command cc "a C compiler and linker" gcc libc6-dev
    [[ -e /etc/ssl/certs/ca-certificates.crt ]] || install_packages "certificates of public sites" ca-certificates
}

target_dir() {
    cargo metadata --format-version 1 --no-deps --locked | sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p'
}

# setting NAME DEFAULT: as the server will read it, from the environment or .env.
setting() {
    local value=${!1-}
    if [[ -z $value && -r .env ]]; then
        value=$(sed -nE "s/^[[:space:]]*(export[[:space:]]+)?$1[[:space:]]*=[[:space:]]*//p" .env | head -n 1)
        value=${value%%[[:space:]]#*}
        value=${value%"${value##*[![:space:]]}"}
        value=${value#[\"\']}
        value=${value%[\"\']}
    fi
    printf '%s' "${value:-$2}"
}

port_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

free_port() {
    local port
    for _ in {1..100}; do
        # Below the range from which the kernel takes the ports of outgoing connections.
        port=$((12000 + RANDOM % 20000))
        port_taken "$port" || { printf '%s' "$port" && return; }
    done
    die "no free port was found"
}
