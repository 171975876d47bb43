import { localBranchesConfig } from '@trellis/branch'
import { edgeConfig } from '@trellis/edge'
import { baseConfig, type ConfigSchema } from '@trellis/kit/config'
import { connectionsConfig, databaseConfig, filesConfig, rpcConfig, workerFilesConfig } from '@trellis/kit/process'
import { serviceConfig } from '@trellis/kit/process/service'
import { listingsConfig } from '@trellis/listings'
import { branchConfig, logsConfig } from '@trellis/logs'
import { musicConfig } from '@trellis/music'

export type ProcessKind = 'edge' | 'listings' | 'logs' | 'music' | 'workloads'

const without = (schema: ConfigSchema, part: ConfigSchema): ConfigSchema =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !(name in part)))

/** The settings that each kind of process reads. */
const schemas: Record<ProcessKind, readonly ConfigSchema[]> = {
  edge: [baseConfig, rpcConfig, edgeConfig],
  listings: [
    baseConfig,
    without(connectionsConfig, { ...filesConfig, ...workerFilesConfig }),
    serviceConfig,
    listingsConfig,
  ],
  logs: [baseConfig, without(connectionsConfig, workerFilesConfig), serviceConfig, logsConfig],
  music: [baseConfig, connectionsConfig, serviceConfig, musicConfig],
  // It stores no rows; it passes settings on to its workers and branches.
  workloads: [
    baseConfig,
    without(connectionsConfig, databaseConfig),
    serviceConfig,
    listingsConfig,
    musicConfig,
    localBranchesConfig,
    branchConfig,
  ],
}

/** Variables that any program may read: paths, locale, temporary files, certificate authorities. No service reads them itself. */
const ambient =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|TMP|TEMP|SYSTEMROOT|TERM|NO_COLOR|FORCE_COLOR|NODE_\w+|SSL_CERT_FILE|SSL_CERT_DIR|MALLOC_\w+|LD_LIBRARY_PATH|XDG_\w+|UV_\w+|CUDA_\w+|(?:https?|no|all)_proxy)$/i

/** The part of an environment that a process needs (least privilege): the edge, which is exposed, has no database credentials. */
export const environmentFor = (
  kind: ProcessKind,
  environment: Readonly<Record<string, string>>,
): Record<string, string> => {
  const read = new Set(
    schemas[kind].flatMap((schema) =>
      Object.values(schema).flatMap(({ variable, secret }) => (secret ? [variable, `${variable}_FILE`] : [variable])),
    ),
  )
  return Object.fromEntries(Object.entries(environment).filter(([name]) => read.has(name) || ambient.test(name)))
}
