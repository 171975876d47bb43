import { read, setting } from '@trellis/kit/config'
import { rpcConfig } from '@trellis/kit/process'
import { branchConfig } from '@trellis/logs'

/** What whoever runs branches on one machine is told. */
export const localBranchesConfig = {
  limit: setting('BRANCH_LIMIT', read.integer(0, 10_000), 50, 'Branches that this machine has at most, active or not.'),
  basePort: setting('BRANCH_BASE_PORT', read.integer(1_024, 65_535), 8_538, 'Branches take their ports from here on.'),
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

/** What a branch sees of an environment: nothing that it has no use for. */
export const branchEnvironment = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    passed.flatMap((name) => {
      const value = environment[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
