# gradtape with Keras and matplotlib, and its command as the entry point:
#
#   docker build -t gradtape .
#   docker run --rm -v "$PWD:/work" gradtape run program.py
#
# `--build-arg EXTRAS=all` adds the compiler XLA and everything else that is optional.
FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim
ARG EXTRAS=examples
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(ls /wheels/*.whl)[$EXTRAS]" && rm -r /wheels \
    && useradd --create-home gradtape
USER gradtape
WORKDIR /work
ENV MPLBACKEND=Agg
ENTRYPOINT ["gradtape"]
CMD ["--help"]
