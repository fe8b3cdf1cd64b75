# The key that scripts/start shows. Sourced by it; uses its variables `data_dir`,
# `base_url` and `program`.
# shellcheck shell=bash disable=SC2154

key_file=$data_dir/.start-key

save_key() {
    mkdir -p "$data_dir"
    (umask 077 && printf '%s\n' "$1" >"$key_file.new" && mv "$key_file.new" "$key_file")
}

# Passes the server's output on, and keeps the key that it shows when its
# database is new: it is not shown again.
keep_first_key() {
    local line
    while IFS= read -r line; do
        printf '%s\n' "$line"
        [[ ! $line =~ blz_live_[0-9A-Za-z]{36} ]] || save_key "${BASH_REMATCH[0]}"
    done
}

# Whether the server takes the key. Given on standard input, it is not in the
# list of processes.
key_works() {
    local status
    status=$(curl -s -o /dev/null -w '%{http_code}' -m 10 --noproxy '*' -H @- "$base_url/v1/account" \
        <<<"Authorization: Bearer $1") && [[ $status != 401 ]]
}

# Prints the kept key, or a new one when there is none or it was revoked.
working_key() {
    local key
    if [[ -r $key_file ]] && key=$(<"$key_file") && key_works "$key"; then
        printf '%s' "$key"
        return
    fi
    key=$("$program" keys create --email admin@localhost --plan enterprise --name start --json |
        grep -o 'blz_live_[0-9A-Za-z]*') || return 1
    save_key "$key"
    printf '%s' "$key"
}
