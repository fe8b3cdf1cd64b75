# Shortcuts for development; `just --list` shows them.

default: test

# Format everything.
fmt:
    cargo fmt --all

# What the merge gate refuses.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings

# Run the tests against a real browser, PostgreSQL and Redis.
test *args:
    ./scripts/test {{ args }}

# Run the tests and take over what the snapshots now show; read the diff before committing.
bless *args:
    INSTA_UPDATE=always ./scripts/test {{ args }}

# Run the tests that take minutes: 50 kills under load, every hostile page.
long *args:
    ./scripts/test --profile long --run-ignored only --no-capture {{ args }}

# Run the benchmarks.
bench *args:
    cargo bench --workspace {{ args }}

# Check licences, sources and advisories of the dependencies (needs cargo-deny).
deny:
    cargo deny --workspace check

# Build the container image.
image tag="blazon":
    docker build -t {{ tag }} .

# Build and start the server.
run:
    ./scripts/start

# Everything the merge gate does.
ci:
    .ci/run
