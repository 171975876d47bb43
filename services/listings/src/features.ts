import { type Implementation, implementation } from '@trellis/kit/rpc'
import { SellerBlocklistServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/blocklist.ts'
import { CategoriesServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/categories.ts'
import { CorrectionsServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/corrections.ts'
import { ListingsServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import { PhotosServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/photos.ts'
import { PreferencesServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/preferences.ts'
import { QueryBuilderServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/query_builder.ts'
import { ReportedSellersServiceDefinition } from '@trellis/protos/ts/trellis/listings/v1/reported.ts'
import { openAccountDeletion } from './account-deletion/open-account-deletion.ts'
import { openAlerts } from './alerts/open-alerts.ts'
import { blocklistRpc } from './blocklist/rpc.ts'
import { openCategories } from './categories/refresh.ts'
import { categoriesRpc } from './categories/rpc.ts'
import { openCommunity } from './community/open-community.ts'
import { correctionsRpc } from './corrections/rpc.ts'
import type { Dependencies } from './dependencies.ts'
import { erasures } from './erasures.ts'
import { openFeedback } from './feedback/open-feedback.ts'
import { openSavedSearches } from './monitors/open-monitors.ts'
import { openPhotoAnalysis } from './photo-analysis/open-photo-analysis.ts'
import { createPhotoSource } from './photos/photo-source.ts'
import { photosRpc } from './photos/rpc.ts'
import { preferencesRpc } from './preferences/rpc.ts'
import { queryBuilderRpc } from './query-builder/rpc.ts'
import { reportedRpc } from './reported/rpc.ts'
import { openRetention } from './retention/open-retention.ts'
import { listingsRpc } from './rpc.ts'
import { openSearches } from './search/open-searches.ts'
import { shareBlocked } from './share-blocked.ts'

/**
 * Opens a feature: returns its handlers, and registers its background work on `opened`, which ends it with the service. The
 * signal of the dependencies aborts first.
 */
type OpenFeature = (
  dependencies: Dependencies,
  opened: AsyncDisposableStack,
) => Implementation | readonly Implementation[] | Promise<Implementation | readonly Implementation[]>

/** All features, one per line. A feature that needs another's behaviour receives its interface here. */
export const features: readonly OpenFeature[] = [
  async (dependencies, opened) => {
    const alerts = openAlerts(dependencies, opened)
    const { recordAlerts, deliver } = alerts
    const saved = openSavedSearches(dependencies, opened, { recordAlerts, onAlerts: deliver })
    opened.use(await openSearches(dependencies, { onEnded: saved.onSearchEnded }))
    const searches = implementation(ListingsServiceDefinition, listingsRpc(dependencies))
    return [searches, alerts.implementation, saved.implementation]
  },
  (dependencies) => implementation(ReportedSellersServiceDefinition, reportedRpc(dependencies)),
  (dependencies) => implementation(PreferencesServiceDefinition, preferencesRpc(dependencies)),
  (dependencies) =>
    implementation(SellerBlocklistServiceDefinition, blocklistRpc(dependencies, shareBlocked(dependencies))),
  (dependencies) => implementation(CorrectionsServiceDefinition, correctionsRpc(dependencies)),
  openFeedback,
  openCommunity,
  (dependencies, opened) => openAccountDeletion(dependencies, erasures, opened),
  (dependencies, opened) => {
    opened.use(openCategories(dependencies))
    return implementation(CategoriesServiceDefinition, categoriesRpc(dependencies))
  },
  (dependencies, opened) => {
    const photos = opened.use(createPhotoSource(dependencies))
    opened.use(openPhotoAnalysis(dependencies, photos))
    return implementation(PhotosServiceDefinition, photosRpc(dependencies, photos))
  },
  (dependencies) => implementation(QueryBuilderServiceDefinition, queryBuilderRpc(dependencies)),
  (dependencies, opened) => {
    opened.use(openRetention(dependencies))
    return []
  },
]
