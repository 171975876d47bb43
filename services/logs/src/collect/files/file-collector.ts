import { stat } from 'node:fs/promises'
import type { LocalFiles } from '../../local-files/local-files.ts'
import type { Checkpoints, Chunk, Collector, CollectRequest } from '../collector.ts'
import type { LocalFileEntry } from '../source-entry.ts'
import { collectPieces } from './collect-pieces.ts'
import { fromCheckpoint, logPrefix, positionPrefix, stampOf } from './file-position.ts'
import { cannotBeRead, type FoundFile, findFiles } from './find-files.ts'
import { openLocalFile } from './log-file.ts'
import { type LogWithPositions, logsWithPositions } from './logs-with-positions.ts'
import type { StampedFile } from './match-pieces.ts'

export type FileCollectorOptions = {
  localFiles: LocalFiles
  /** The limit of a compressed file, decompressed. */
  maxExpandedBytes: number
  now: () => number
}

const isGone = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

const stampFiles = async (
  files: readonly FoundFile[],
  onProblem: (problem: string) => void,
): Promise<StampedFile[]> => {
  const stamped: StampedFile[] = []
  for (const file of files) {
    try {
      stamped.push({ ...file, stamp: stampOf(await stat(file.path, { bigint: true })) })
    } catch (error) {
      if (!isGone(error)) onProblem(cannotBeRead(file.path, error))
    }
  }
  return stamped
}

/** The logs that certain files are pieces of; their positions are queried one by one. */
async function* logsByName(
  found: readonly FoundFile[],
  only: ReadonlySet<string>,
  checkpoints: Checkpoints,
): AsyncGenerator<LogWithPositions> {
  const names = new Set(found.filter(({ path }) => only.has(path)).map(({ log }) => log))
  for (const name of names) {
    const positions = await Array.fromAsync(checkpoints.list(logPrefix(name)), fromCheckpoint)
    yield { name, files: found.filter(({ log }) => log === name), positions }
  }
}

/** Collects files of this machine: all logs of a source, one after the other, with the files that rotation has made of them. */
export const createFileCollector = ({
  localFiles,
  maxExpandedBytes,
  now,
}: FileCollectorOptions): Collector<LocalFileEntry> => {
  async function* collect(request: CollectRequest<LocalFileEntry>): AsyncGenerator<Chunk> {
    const { source, checkpoints, only, signal, onProblem } = request
    const access = localFiles.for(source.addedBy)
    const onFailure = (path: string, error: unknown) => {
      if (!isGone(error)) onProblem(cannotBeRead(path, error))
    }
    const collecting = { open: openLocalFile(access.open), maxExpandedBytes, now, onFailure }
    const found = await findFiles(source, { access, signal, onProblem })
    const logs = only
      ? logsByName(found, only, checkpoints)
      : logsWithPositions(found, checkpoints.list(positionPrefix), fromCheckpoint)
    for await (const { name, files, positions } of logs) {
      if (signal.aborted) return
      const stamped = await stampFiles(files, onProblem)
      yield* collectPieces({ name, files: stamped, positions }, request, collecting)
    }
  }
  return { collect }
}
