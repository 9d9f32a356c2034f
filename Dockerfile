# headnote as a server for one folder: not root, with a read-only root file system, and the index in a volume.
#
#   docker build -t headnote .
#   docker run --rm -i --read-only --tmpfs /tmp --network none -v "$PWD/docs:/docs:ro" -v headnote-index:/kb/.headnote headnote
#
# Without arguments it serves agents on standard input (MCP). The page: -p 127.0.0.1:8377:8377 … headnote serve /kb --host 0.0.0.0 --token new
FROM python:3.12-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN python -m venv /opt/headnote && /opt/headnote/bin/pip install --no-cache-dir ".[fast,search,mcp,server]"

FROM python:3.12-slim-bookworm
COPY --from=build /opt/headnote /opt/headnote
ENV PATH=/opt/headnote/bin:$PATH HOME=/tmp PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
# What is trusted belongs to the image: whoever runs it can read that, and not change it.
ENV HEADNOTE_CONFIG_FOLDER=/etc/headnote
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin headnote \
    && mkdir -p /docs /kb/.headnote \
    && printf '[roots.docs]\npath = "/docs"\n' > /kb/headnote.toml \
    && headnote trust /kb \
    && chmod -R a+rX /etc/headnote \
    && chown headnote:headnote /kb/.headnote
USER 10001:10001
VOLUME ["/kb/.headnote"]
WORKDIR /kb
# A server answers, with or without a token; what serves agents on standard input lives as long as they want it.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD grep -qz "^serve$" /proc/1/cmdline || exit 0; \
        python -c "from urllib.request import urlopen; urlopen('http://127.0.0.1:8377/api/health', timeout=4)"
ENTRYPOINT ["headnote"]
CMD ["mcp", "/kb"]
