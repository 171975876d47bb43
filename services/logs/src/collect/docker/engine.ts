/** A container, as its engine lists it. */
export type Container = {
  id: string
  /** Without the slash that the engine writes before it. */
  name: string
  labels: Readonly<Record<string, string>>
  /** False where the engine does not say. */
  isRunning: boolean
}

export type LogPart =
  /** A whole or a part of a line: a part has no line end, and the rest follows. */
  | { kind: 'frame'; stream: 'stdout' | 'stderr'; bytes: Buffer }
  /** Bytes of a terminal, cut anywhere. */
  | { kind: 'terminal'; bytes: Buffer }

/** Docker, podman, or whatever speaks like them. */
export type ContainerEngine = {
  list: (signal: AbortSignal) => Promise<Container[]>
  /** What a container has written, each line with its time before it. */
  logs: (container: Container, wanted: WantedLogs, signal: AbortSignal) => AsyncIterable<LogPart>
}

export type WantedLogs = {
  /** From a moment on: seconds of the epoch, with a fraction. */
  since: string | undefined
  /** Goes on with what it writes, until it ends or the signal aborts. Only where the engine is asked directly. */
  follows?: boolean
}

/** What an engine refuses, in its own words. */
export class EngineFailed extends Error {
  override name = 'EngineFailed'
}

export const maxContainers = 10_000

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const readLabels = (given: unknown): Record<string, string> =>
  isObject(given)
    ? Object.fromEntries(Object.entries(given).filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
    : {}

/** Reads the list of an engine; what is no container is left out. */
export const readContainers = (given: unknown): Container[] =>
  (Array.isArray(given) ? given : []).slice(0, maxContainers).flatMap((each: unknown) => {
    if (!isObject(each) || typeof each.Id !== 'string') return []
    const names = Array.isArray(each.Names) ? each.Names : []
    const [name = each.Id.slice(0, 12)] = names.filter((name) => typeof name === 'string')
    return [
      {
        id: each.Id,
        name: name.replace(/^\//, ''),
        labels: readLabels(each.Labels),
        isRunning: each.State === 'running',
      },
    ]
  })
