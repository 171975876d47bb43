import { type Erase, identifies } from '../erasure/person.ts'
import { photoTaskType } from './tasks.ts'

/** Deletes the tasks for a seller's listings, which have their titles and photos. */
export const erasePhotoTasks: Erase = async ({ db }, person) => {
  const listings = db
    .selectFrom('listings')
    .select('id')
    .where('platform', '=', person.platform)
    .where(identifies('seller_platform_id', person))
  const { numDeletedRows } = await db
    .deleteFrom('background_tasks')
    .where('task_type', '=', photoTaskType)
    .where('job_id', 'in', listings)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
