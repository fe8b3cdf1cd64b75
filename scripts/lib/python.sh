# A Python library that the tests compare with. Sourced by scripts/test, after
# common.sh; uses its variable `target`.
# shellcheck shell=bash disable=SC2154

standard_webhooks_version=1.1.0

# Puts the library that receivers of webhooks use into a folder of its own, and
# names it to the tests. Without it one test fails, and says so.
need_standard_webhooks() {
    local folder=$target/tools/standardwebhooks-$standard_webhooks_version
    export BLAZON_TEST_STANDARD_WEBHOOKS=$folder
    need_command python3 "Python, for the tests" python3
    [[ ! -d $folder/standardwebhooks ]] || return 0
    python3 -m pip --version >/dev/null 2>&1 || install_packages "Python's installer, for the tests" python3-pip
    say "installing the Python package standardwebhooks $standard_webhooks_version, for the tests"
    rm -rf "$folder.new"
    if python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps \
        --target "$folder.new" "standardwebhooks==$standard_webhooks_version"; then
        rm -rf "$folder" && mv "$folder.new" "$folder"
    else
        say "standardwebhooks could not be installed"
    fi
}
