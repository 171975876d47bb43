import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { basename } from 'node:path'

/**
 * Lowers the priority of the calling thread below threads that serve users. Linux threads have ids of their own, which are listed under `/proc`;
 * on other systems this does nothing.
 */
export const lowerPriority = (): void => {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), constants.priority.PRIORITY_LOW)
  } catch {
    // Best effort: results do not depend on it.
  }
}
