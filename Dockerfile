# The pipeline and the library in a container: docs/elsewhere.md.
FROM python:3.11-slim-bookworm

ENV PIP_NO_CACHE_DIR=1 \
    PIP_ROOT_USER_ACTION=ignore

RUN useradd --create-home --uid 1000 logzoo && install --directory --owner=logzoo --group=logzoo /logzoo
WORKDIR /logzoo
COPY --chown=logzoo:logzoo . .
RUN pip install -r requirements.txt

# No rights beyond these files; results lie in /logzoo/data and /logzoo/figures.
USER 1000
ENTRYPOINT ["snakemake"]
CMD ["--cores", "2"]
