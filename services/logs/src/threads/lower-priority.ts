import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { basename } from 'node:path'

/**
 * Lets the thread that calls it have the processor after those that somebody waits for. Linux knows threads by ids of their own, which are
 * told under `/proc`; elsewhere it stays as it is.
 */
export const lowerPriority = (): void => {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), constants.priority.PRIORITY_LOW)
  } catch {
    // It is a courtesy: without it all is as correct.
  }
}
