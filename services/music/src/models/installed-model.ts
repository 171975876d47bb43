import { isServiceError, messageOf } from '@trellis/kit/errors'
import type { Log } from '@trellis/kit/telemetry'
import { newId } from '../chains/ids.ts'
import type { MusicConfig } from '../config.ts'
import type { ModelFolder } from '../generate/model/manifest.ts'
import { modelSetting, noModel } from '../generate/model-setting.ts'
import { ModelUnusable } from '../onnx/model-unusable.ts'
import { runTask, type TaskRunner } from '../worker/run-task.ts'

/** Whether this installation has a model that generates continuations, or why it does not. */
export type ModelStatus =
  | {
      readonly available: true
      readonly sampleRate: number
      /** Maximum length of a continuation and of the context. */
      readonly maxSeconds: number
      readonly contextSeconds: number
    }
  | { readonly available: false; readonly reason: string }

export type InstalledModel = {
  /** The state of the model now. The first call after its files have changed waits for it to be tried, for some seconds. */
  readonly status: () => Promise<ModelStatus>
}

export type InstalledModelOptions = {
  readonly config: Pick<MusicConfig, 'model' | 'workerMegabytes'>
  /** Runs the trial of a model, on this machine. */
  readonly runner: TaskRunner
  /** Whether models run on other machines, so that a trial on this one is no evidence. */
  readonly runsElsewhere: boolean
  readonly log: Log
  readonly signal: AbortSignal
}

/** Time limit of a trial, and of a request that waits for one. */
const trialSeconds = 300
const waitMilliseconds = 10_000
/** Time after which a model that failed is tried again, if it is requested. */
const retryMilliseconds = 30_000
const megabyte = 2 ** 20

const unusable = (fault: string): ModelStatus => ({
  available: false,
  reason: `The model of ${modelSetting} cannot be used. ${fault}`,
})
const beingTried: ModelStatus = {
  available: false,
  reason: `The model of ${modelSetting} is being loaded and tried: try again in a minute.`,
}

const available = ({ manifest, contextSeconds }: ModelFolder): ModelStatus => ({
  available: true,
  sampleRate: manifest.sample_rate,
  maxSeconds: manifest.max_seconds,
  contextSeconds,
})

/** A model that does not fit into the memory of a worker would be killed while it is loaded. */
const faultOfSize = ({ folder, bytes }: ModelFolder, workerMegabytes: number): string | undefined => {
  const size = Math.ceil(bytes / megabyte)
  if (size < workerMegabytes) return undefined
  return `The networks of ${folder} have ${size} MB, and a worker may use ${workerMegabytes} MB of memory: raise MUSIC_WORKER_MEMORY_MB.`
}

type Trial = {
  readonly version: string
  /** When it failed. */
  failedAt: number | undefined
  readonly result: Promise<ModelStatus>
}

/** The value of a promise, or another one if it takes too long. */
const within = async <Value>(promise: Promise<Value>, milliseconds: number, otherwise: Value): Promise<Value> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Value>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), milliseconds)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Reads the folder of MUSIC_MODEL whenever it is needed, and has a worker try its networks when its files have changed. */
export const openInstalledModel = (options: InstalledModelOptions): InstalledModel & AsyncDisposable => {
  const { config, runner, runsElsewhere, log, signal } = options
  const { model: folder, workerMegabytes } = config
  let latest: Trial | undefined

  const tryNetworks = async (found: ModelFolder): Promise<ModelStatus> => {
    const task = { $case: 'checkModel', value: { model: found.folder } } as const
    const run = { runId: `model-${newId()}`, task, deadlineSeconds: trialSeconds, user: '' }
    try {
      await runTask(runner, run, signal)
      return available(found)
    } catch (error) {
      if (signal.aborted) return beingTried
      log.warn({ err: error, folder }, 'music: the model cannot be used')
      return isServiceError(error, 'invalid') ? { available: false, reason: error.message } : unusable(messageOf(error))
    }
  }

  const trialOf = (found: ModelFolder): Trial => {
    const isRetry = latest?.failedAt !== undefined && Date.now() - latest.failedAt >= retryMilliseconds
    if (latest?.version === found.version && !isRetry) return latest
    const result = tryNetworks(found).then((status) => {
      if (!status.available) trial.failedAt = Date.now()
      return status
    })
    const trial: Trial = { version: found.version, failedAt: undefined, result }
    latest = trial
    return trial
  }

  const status = async (): Promise<ModelStatus> => {
    if (folder === undefined) return { available: false, reason: noModel }
    // Loaded with the first use: most installations have no model.
    const { readModelFolder } = await import('../generate/model/manifest.ts')
    try {
      const found = await readModelFolder(folder)
      if (runsElsewhere) return available(found)
      const fault = faultOfSize(found, workerMegabytes)
      if (fault !== undefined) return unusable(fault)
      return await within(trialOf(found).result, waitMilliseconds, beingTried)
    } catch (error) {
      if (error instanceof ModelUnusable) return unusable(error.message)
      throw error
    }
  }

  // Tried at the start, so that what is wrong is in the log and the first request need not wait.
  const started =
    folder === undefined ? undefined : status().catch((err: unknown) => log.error({ err }, 'music: model'))
  return {
    status,
    [Symbol.asyncDispose]: async () => {
      await started
      await latest?.result
    },
  }
}
