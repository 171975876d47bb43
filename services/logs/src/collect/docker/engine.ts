/** A container in the engine's list. */
export type Container = {
  id: string
  /** Without the slash with which the engine prefixes it. */
  name: string
  labels: Readonly<Record<string, string>>
  /** False if the engine does not state it. */
  isRunning: boolean
}

export type LogPart =
  /**
   * A line or a part of one: a part has no line end and is followed by the rest. `partsAreFull`: the engine splits a line only at 16 KiB, so a
   * shorter part is the last line of a program that has ended.
   */
  | { kind: 'frame'; stream: 'stdout' | 'stderr'; bytes: Buffer; partsAreFull?: boolean }
  /** Bytes of a terminal, split at any position. */
  | { kind: 'terminal'; bytes: Buffer }

/** Docker, podman, or a compatible engine. */
export type ContainerEngine = {
  list: (signal: AbortSignal) => Promise<Container[]>
  /** The log of a container, each line prefixed with its time. */
  logs: (container: Container, request: LogRequest, signal: AbortSignal) => AsyncIterable<LogPart>
}

export type LogRequest = {
  /** The start: seconds of the epoch, with a fraction. */
  since: string | undefined
  /** Continues with new lines until the container ends or the signal aborts. Only supported by the engine's API. */
  follows?: boolean
}

/** An error of the engine, with its own message. */
export class EngineFailed extends Error {
  override name = 'EngineFailed'
}

export const maxContainers = 10_000

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const readLabels = (value: unknown): Record<string, string> =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
    : {}

/** Parses an engine's list; invalid items are skipped. Throws EngineFailed for what is no list, which would read as an engine without containers. */
export const readContainers = (value: unknown): Container[] => {
  if (!Array.isArray(value)) throw new EngineFailed('The engine does not respond with a list of containers.')
  return value.slice(0, maxContainers).flatMap((each: unknown) => {
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
}
