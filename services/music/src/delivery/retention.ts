import { deliveriesFolder } from '../audio/files-layout.ts'
import type { Dependencies } from '../dependencies.ts'

const hourMilliseconds = 3_600_000

/** Deletes files for download that are older than `MUSIC_EXPORT_HOURS`; a later request writes them again. */
export const removeExpiredDeliveries = async ({
  config,
  files,
  now,
}: Pick<Dependencies, 'config' | 'files' | 'now'>) => {
  const before = now().getTime() - config.exportHours * hourMilliseconds
  for await (const { key, modifiedAt } of files.list(`${deliveriesFolder}/`)) {
    if (modifiedAt.getTime() < before) await files.remove(key)
  }
}
