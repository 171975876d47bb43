import { isServiceError, messageOf } from '@trellis/kit/errors'
import { LanguageModelError } from '@trellis/kit/language-model'
import type { Dependencies } from '../dependencies.ts'
import { findListingById, type ListingRow } from '../found/store.ts'
import { recordPhotoHash } from '../photo-hashes/store.ts'
import type { PhotoSource } from '../photos/photo-source.ts'
import { rescoreStored } from '../results/rescore-stored.ts'
import { findScore, savePhotoAnalysis } from '../scoring/store.ts'
import type { PhotoHasher } from './decode/hasher.ts'
import { progressOf } from './progress.ts'
import { deleteTask, endTask, parametersOf, type TaskEnd, type TaskRow, type TaskStage } from './tasks.ts'
import { analysePhoto, visionModel } from './vision.ts'

export type PhotoDependencies = Dependencies & { readonly photos: PhotoSource; readonly hasher: PhotoHasher }

/** What a stage has done: how the task goes on, and which listings have other scores now. */
type StageResult = { readonly end: TaskEnd; readonly changed: readonly ListingRow[] }

type Stage = (
  dependencies: PhotoDependencies,
  task: { readonly row: ListingRow; readonly url: string; readonly title: string },
  signal: AbortSignal,
) => Promise<StageResult>

/** The hash of a photo; null also if it cannot be decoded, which another attempt would not change. */
const hashOf = async ({ photos, hasher, log }: PhotoDependencies, url: string, signal: AbortSignal) => {
  try {
    return await hasher.hash((await photos.get(url, signal)).body, signal)
  } catch (error) {
    if (!isServiceError(error, 'unsupported_media')) throw error
    log.info({ reason: error.message, url }, 'listings: photo not compared')
    return null
  }
}

const needsVision = async (dependencies: PhotoDependencies, listingId: number): Promise<boolean> => {
  if (visionModel(dependencies) === undefined) return false
  const score = await findScore(dependencies.db, listingId)
  return score !== undefined && score.photo_analysis_json === null
}

/** Compares the photo with all that its user has seen. Listings whose duplicates have changed are scored again. */
const compare: Stage = async (dependencies, { row, url }, signal) => {
  const { db, now } = dependencies
  const hash = await hashOf(dependencies, url, signal)
  signal.throwIfAborted()
  const changed: ListingRow[] = []
  for (const id of await recordPhotoHash(db, { listing: row, photoUrl: url, hash, now: now() })) {
    const listing = await findListingById(db, id)
    if (listing !== undefined) changed.push(listing)
  }
  const end: TaskEnd = (await needsVision(dependencies, row.id))
    ? { status: 'queued', stage: 'vision' }
    : { status: 'completed' }
  return { end, changed }
}

/** Shows the photo to the model, whose answer is stored with the score. */
const analyse: Stage = async (dependencies, { row, url, title }, signal) => {
  const model = visionModel(dependencies)
  if (model === undefined) return { end: { status: 'completed' }, changed: [] }
  const photo = await dependencies.photos.get(url, signal)
  const analysis = await analysePhoto(dependencies, model, { photo, title, signal })
  await savePhotoAnalysis(dependencies.db, row.id, analysis)
  return { end: { status: 'completed' }, changed: [row] }
}

const stages: Readonly<Record<TaskStage, Stage>> = { hash: compare, vision: analyse }

const failed = (error: unknown): StageResult => ({ end: { status: 'failed', error: messageOf(error) }, changed: [] })

/** Performs a stage; a failure that belongs to its photo or to another server becomes the task's, and is logged. */
const perform = async (
  dependencies: PhotoDependencies,
  task: TaskRow,
  row: ListingRow,
  signal: AbortSignal,
): Promise<StageResult> => {
  const { photo_url: url, listing_title: title } = parametersOf(task)
  try {
    return await stages[task.stage](dependencies, { row, url, title }, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (!isServiceError(error) && !(error instanceof LanguageModelError)) throw error
    dependencies.log.warn(
      { reason: error.message, listingId: row.id, stage: task.stage },
      'listings: photo task failed',
    )
    return failed(error)
  }
}

/**
 * Performs the started stage of a task, scores the listings that it changes, and publishes the progress to the searches of their owner. Throws without
 * having ended the task if the signal aborts: the next worker takes it up.
 */
export const performTask = async (
  dependencies: PhotoDependencies,
  task: TaskRow,
  signal: AbortSignal,
): Promise<void> => {
  const { db, bus, now } = dependencies
  const row = await findListingById(db, task.job_id)
  if (row === undefined) return deleteTask(db, task.id)
  const { end, changed } = await perform(dependencies, task, row, signal)
  for (const each of changed) await rescoreStored(dependencies, each)
  await endTask(db, task, end, now())
  const isLast = end.status !== 'queued'
  for (const { id, user_id } of changed)
    if (id !== row.id) await bus.publish(progressOf(user_id), { listingId: id, hasChanged: true, isLast: false })
  const hasChanged = changed.some(({ id }) => id === row.id)
  await bus.publish(progressOf(row.user_id), { listingId: row.id, hasChanged, isLast })
}
