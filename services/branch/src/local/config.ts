import { read, setting } from '@trellis/kit/config'
import { rpcConfig } from '@trellis/kit/process'
import { branchConfig } from '@trellis/logs'

/** Settings of the runtime of branches on one machine. */
export const localBranchesConfig = {
  limit: setting('BRANCH_LIMIT', read.integer(0, 10_000), 50, 'Maximum branches on this machine, active or not.'),
  basePort: setting('BRANCH_BASE_PORT', read.integer(1_024, 65_535), 8_538, 'The first port for branches.'),
}

const limits = [
  branchConfig.maxBatchMegabytes,
  branchConfig.segmentEntries,
  branchConfig.cacheMegabytes,
  branchConfig.pushedMegabytes,
  branchConfig.idleSeconds,
  branchConfig.formatsDirectory,
  branchConfig.patternsDirectory,
].map(({ variable }) => variable)
const calls = Object.values(rpcConfig).flatMap(({ variable }) => [variable, `${variable}_FILE`])
const passed = ['PATH', 'HOME', 'TZ', 'LOG_LEVEL', 'LOG_FORMAT', 'SHUTDOWN_SECONDS', ...limits, ...calls]

/** The part of an environment that a branch needs. */
export const branchEnvironment = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    passed.flatMap((name) => {
      const value = environment[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
