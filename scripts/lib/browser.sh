# Sourced by the scripts, after common.sh.
# shellcheck shell=bash

# The binaries themselves, where the server looks for them too, cheapest first.
browser_places=(
    /usr/lib/chromium/chromium-headless-shell
    /opt/chrome-headless-shell/chrome-headless-shell
    /usr/lib/chromium/chromium
    /usr/lib/chromium-browser/chromium-browser
    /opt/google/chrome/chrome
    /usr/lib64/chromium-browser/chromium-browser
    /usr/local/bin/chromium
)

find_browser() {
    local place
    for place in "${browser_places[@]}"; do
        if [[ -x $place ]] && timeout 30 "$place" --version >/dev/null 2>&1; then
            printf '%s' "$place"
            return
        fi
    done
    return 1
}

need_browser() {
    local package=chromium-headless-shell browser
    browser=$(setting BROWSER_EXECUTABLE "")
    if [[ -z $browser ]] && ! browser=$(find_browser); then
        refresh_packages "$package"
        # Not every release has the headless shell as a package of its own.
        apt-cache show "$package" >/dev/null 2>&1 || package=chromium
        install_packages "a browser" "$package" fonts-liberation
        browser=$(find_browser) || die "$package is installed, but no browser that starts was found"
    fi
    say "browser: $browser"
}

# The tests know two kinds of Chromium: they do not obey the same flags.
need_full_chromium() {
    [[ -x /usr/lib/chromium/chromium ]] || install_packages "the tests of full Chromium" chromium
}
