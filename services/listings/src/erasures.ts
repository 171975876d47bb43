import { eraseAlerts } from './alerts/erase.ts'
import { eraseBlocked } from './blocklist/erase.ts'
import { eraseCommunitySignals } from './community/erase.ts'
import { erasePublishedSignals } from './community/erase-published.ts'
import { eraseCorrections } from './corrections/erase.ts'
import type { Erasure } from './erasure/person.ts'
import { eraseListings } from './found/erase.ts'
import { erasePhotoMatches, erasePhotoTasks } from './photo-analysis/erase.ts'
import { eraseReports } from './reported/erase.ts'
import { eraseSellers } from './sellers/erase.ts'

/**
 * Deletions of what is stored about the holder of a deleted marketplace account, in order: one line for each feature that stores
 * anything about sellers. Corrections, alerts, tasks and photos precede listings, by which they are found; tables with a `listing_id` are in
 * `found/listing-tables.ts` instead.
 */
export const erasures: readonly Erasure[] = [
  { name: 'corrections', erase: eraseCorrections },
  { name: 'community_signals', erase: eraseCommunitySignals },
  { name: 'published_signals', erase: erasePublishedSignals },
  { name: 'reported_sellers', erase: eraseReports },
  { name: 'blocklist', erase: eraseBlocked },
  { name: 'alerts', erase: eraseAlerts },
  { name: 'photo_tasks', erase: erasePhotoTasks },
  { name: 'photo_matches', erase: erasePhotoMatches },
  { name: 'listings', erase: eraseListings },
  { name: 'sellers', erase: eraseSellers },
]
