// Generated from the protos by protoc-gen-edge. Do not edit: change the proto and run `npm run generate`.
// biome-ignore-all lint: generated
import type * as trellis_http_v1_messages from '../ts/trellis/http/v1/messages.ts'
import type * as trellis_listings_v1_account_deletion from '../ts/trellis/listings/v1/account_deletion.ts'
import type * as trellis_listings_v1_alerts from '../ts/trellis/listings/v1/alerts.ts'
import type * as trellis_listings_v1_blocklist from '../ts/trellis/listings/v1/blocklist.ts'
import type * as trellis_listings_v1_categories from '../ts/trellis/listings/v1/categories.ts'
import type * as trellis_listings_v1_community from '../ts/trellis/listings/v1/community.ts'
import type * as trellis_listings_v1_corrections from '../ts/trellis/listings/v1/corrections.ts'
import type * as trellis_listings_v1_feedback from '../ts/trellis/listings/v1/feedback.ts'
import type * as trellis_listings_v1_listings from '../ts/trellis/listings/v1/listings.ts'
import type * as trellis_listings_v1_photos from '../ts/trellis/listings/v1/photos.ts'
import type * as trellis_listings_v1_preferences from '../ts/trellis/listings/v1/preferences.ts'
import type * as trellis_listings_v1_query_builder from '../ts/trellis/listings/v1/query_builder.ts'
import type * as trellis_listings_v1_reported from '../ts/trellis/listings/v1/reported.ts'
import type * as trellis_listings_v1_saved_searches from '../ts/trellis/listings/v1/saved_searches.ts'
import type * as trellis_logs_v1_blocklist from '../ts/trellis/logs/v1/blocklist.ts'
import type * as trellis_logs_v1_collect from '../ts/trellis/logs/v1/collect.ts'
import type * as trellis_logs_v1_context from '../ts/trellis/logs/v1/context.ts'
import type * as trellis_logs_v1_entries from '../ts/trellis/logs/v1/entries.ts'
import type * as trellis_logs_v1_formats from '../ts/trellis/logs/v1/formats.ts'
import type * as trellis_logs_v1_incidents from '../ts/trellis/logs/v1/incidents.ts'
import type * as trellis_logs_v1_logs from '../ts/trellis/logs/v1/logs.ts'
import type * as trellis_logs_v1_media_monitor from '../ts/trellis/logs/v1/media_monitor.ts'
import type * as trellis_logs_v1_scoring from '../ts/trellis/logs/v1/scoring.ts'
import type * as trellis_logs_v1_settings from '../ts/trellis/logs/v1/settings.ts'
import type * as trellis_logs_v1_setup from '../ts/trellis/logs/v1/setup.ts'
import type * as trellis_logs_v1_ssh_targets from '../ts/trellis/logs/v1/ssh_targets.ts'
import type * as trellis_logs_v1_templates from '../ts/trellis/logs/v1/templates.ts'
import type * as trellis_music_v1_music from '../ts/trellis/music/v1/music.ts'
import type { AlertKindWord, NodeStatusWord, DecisionWord, NodeKindWord, GeneratorWord, GpuModeWord, CorrectionRatingWord, FeedbackTypeWord, MustIncludeModeWord, AdapterWord, AudioFormatWord, AnswerChallengeResponseRest, AccountDeletionResponseRest, GetWebhookHealthResponseRest, AlertRest, ListAlertsResponseRest, DismissAllAlertsResponseRest, QuietHoursRest, AlertWebhookRest, AlertEmailRest, AlertSettingsRest, AlertFeedAddressRest, BlockedSellerRest, ListBlockedSellersResponseRest, ImportBlocklistResponseRest, CategoryRest, ListCategoriesResponseRest, AddCorrectionResponseRest, CorrectionRest, ListCorrectionsResponseRest, GetFeedbackStatusResponseRest, SendFeedbackResponseRest, ListingRest, SignalScoresRest, ScoreRangeRest, EvidenceRest, ImprovementRest, TrustScoreRest, SellerRest, ListingsSearchResponseRest, SearchAsyncResponseRest, FeaturesRest, ApiUseRest, GetSessionResponseRest, EnrichResponseRest, PricePointRest, GetListingResponseRest, MedianIntervalRest, StratumPriceRest, HistoryBandRest, CompHistoryRest, GetCompsResponseRest, HealthRest, DriftingFieldRest, PageDriftRest, CampaignPreferencesRest, AffiliatePreferencesRest, CommunityPreferencesRest, DisplayPreferencesRest, SearchPreferencesRest, PreferencesRest, BuildSearchResponseRest, ListReportedSellersResponseRest, SavedSearchRest, ListSavedSearchesResponseRest, RunSavedSearchResponseRest, BlocklistCandidateRest, ListBlocklistCandidatesResponseRest, BlocklistScanRest, BlocklistTestRest, TaskProgressRest, UploadCountsRest, SkippedFileRest, FreedRoomRest, TaskRest, FoundEntryRest, FacetValueRest, FacetsRest, HistogramRest, LogsSearchResponseRest, EntryRest, GetContextResponseRest, WindowRest, SummaryRest, TimelinePointRest, TemplateCountRest, FactRest, SuspectedCauseRest, TimelineLeftOutRest, DiagnosisRest, PatternRest, PatternProblemRest, ListPatternsResponseRest, SourceRest, ListSourcesResponseRest, SuggestedSourceRest, SuggestSourcesResponseRest, RejectedEntryRest, GleanBatchResponseRest, SourceHealthRest, StatsRest, GraftRest, OrchardBranchRest, ListBranchesResponseRest, AnonymizationRest, ConfiguredSourceRest, ListConfiguredSourcesResponseRest, WatchStatusRest, ContextDocRest, ListContextDocsResponseRest, ContextDeletionRest, ContextFactRest, ListContextFactsResponseRest, ContextWizardColumnRest, ContextWizardFieldRest, ContextWizardStepRest, ContextWizardRest, ContextFactPreviewRest, ContextWizardAnswerRest, ContextWizardResultRest, ContextChunkMatchRest, ContextFactMatchRest, ContextMatchesRest, FormatRest, ListFormatsResponseRest, IncidentRest, ListIncidentsResponseRest, IncidentEventRest, SimilarIncidentRest, IncidentDetailRest, AttachEntriesResponseRest, SentBundleRest, TicketRest, BundleIdRest, BundleRest, ListBundlesResponseRest, BundleDetailRest, ListSentBundlesResponseRest, ScorerModelRest, ScorerOutcomeRest, ScorerStatusRest, DetectionRest, ListDetectionsResponseRest, SettingsRest, SetupStatusRest, LogFileRest, SourceDraftRest, DiscoveryRest, WriteSourcesResponseRest, InterpretationRest, ScannedFileRest, ScanResultRest, SshTargetRest, ListSshTargetsResponseRest, SshTargetTestRest, TemplateTrendRest, TemplateRest, ListTemplatesResponseRest, TemplateDetailRest, SeamRest, StemRest, StemsRest, NodeRest, ChainRest, ListChainsResponseRest, CreateBranchesResponseRest, PeaksRest, GpuModelRest, GeneratorStatusRest, GpuRest, GpuSessionRest, ListingsFrameRest, MarketPriceFrameRest, ScoreFrameRest, SearchFailedFrameRest, DoneFrameRest, GapRest, ResetRest, BranchesMissingRest, DiagnoseStatusRest, DiagnoseSummaryRest, DiagnoseEntriesRest, DiagnoseReasoningRest, DiagnoseFailedRest, DiagnoseDoneRest, NodeStatusChangedRest, NodeRemovedRest, ChainRemovedRest, StemsStatusChangedRest } from './client.ts'
export type * from './client.ts'

const omitNull = (name: string, value: unknown) => (value === null || value === undefined ? {} : { [name]: value })
const present = <In, Out>(value: In | null | undefined, map: (value: In) => Out): Out | null => (value === null || value === undefined ? null : map(value))
const mapValues = <In, Out>(map: { [key: string]: In }, write: (value: In) => Out): { [key: string]: Out } =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, write(value)]))
const jsonOf = (text: string | null | undefined): unknown => (text === null || text === undefined || text === '' ? null : JSON.parse(text))
const textOf = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value))
const int32Of = (value: number | null | undefined) => (value == null ? value : Math.max(-2147483648, Math.min(2147483647, value)))
const oneof = (value: any, member: string): any => (value?.$case === member ? value.value : undefined)


const AlertKindWords: Record<string, AlertKindWord | null> = {
  ALERT_KIND_UNSPECIFIED: null,
  ALERT_KIND_NEW_MATCH: 'new_match',
  ALERT_KIND_PRICE_DROP: 'price_drop',
  ALERT_KIND_PRICE_RISE: 'price_rise',
}
const AlertKindValues: Record<string, trellis_listings_v1_alerts.AlertKind> = {
  'new_match': 'ALERT_KIND_NEW_MATCH',
  'price_drop': 'ALERT_KIND_PRICE_DROP',
  'price_rise': 'ALERT_KIND_PRICE_RISE',
}

const NodeStatusWords: Record<string, NodeStatusWord | null> = {
  NODE_STATUS_UNSPECIFIED: null,
  NODE_STATUS_GENERATING: 'generating',
  NODE_STATUS_READY: 'ready',
  NODE_STATUS_ERROR: 'error',
}
const NodeStatusValues: Record<string, trellis_music_v1_music.NodeStatus> = {
  'generating': 'NODE_STATUS_GENERATING',
  'ready': 'NODE_STATUS_READY',
  'error': 'NODE_STATUS_ERROR',
}

const DecisionWords: Record<string, DecisionWord | null> = {
  DECISION_UNSPECIFIED: null,
  DECISION_UNDECIDED: 'undecided',
  DECISION_COMMITTED: 'committed',
  DECISION_DISCARDED: 'discarded',
}
const DecisionValues: Record<string, trellis_music_v1_music.Decision> = {
  'undecided': 'DECISION_UNDECIDED',
  'committed': 'DECISION_COMMITTED',
  'discarded': 'DECISION_DISCARDED',
}

const NodeKindWords: Record<string, NodeKindWord | null> = {
  NODE_KIND_UNSPECIFIED: null,
  NODE_KIND_UPLOAD: 'upload',
  NODE_KIND_CONTINUATION: 'continuation',
}
const NodeKindValues: Record<string, trellis_music_v1_music.NodeKind> = {
  'upload': 'NODE_KIND_UPLOAD',
  'continuation': 'NODE_KIND_CONTINUATION',
}

const GeneratorWords: Record<string, GeneratorWord | null> = {
  GENERATOR_UNSPECIFIED: null,
  GENERATOR_AUTO: 'auto',
  GENERATOR_RECOMBINE: 'recombine',
  GENERATOR_ONNX: 'onnx',
  GENERATOR_MOCK: 'mock',
}
const GeneratorValues: Record<string, trellis_music_v1_music.Generator> = {
  'auto': 'GENERATOR_AUTO',
  'recombine': 'GENERATOR_RECOMBINE',
  'onnx': 'GENERATOR_ONNX',
  'mock': 'GENERATOR_MOCK',
}

const GpuModeWords: Record<string, GpuModeWord | null> = {
  GPU_MODE_UNSPECIFIED: null,
  GPU_MODE_KUBERNETES: 'kubernetes',
  GPU_MODE_LOCAL: 'local',
  GPU_MODE_NONE: 'none',
}
const GpuModeValues: Record<string, trellis_music_v1_music.GpuMode> = {
  'kubernetes': 'GPU_MODE_KUBERNETES',
  'local': 'GPU_MODE_LOCAL',
  'none': 'GPU_MODE_NONE',
}

const CorrectionRatingWords: Record<string, CorrectionRatingWord | null> = {
  CORRECTION_RATING_UNSPECIFIED: null,
  CORRECTION_RATING_UP: 'up',
  CORRECTION_RATING_DOWN: 'down',
}
const CorrectionRatingValues: Record<string, trellis_listings_v1_corrections.CorrectionRating> = {
  'up': 'CORRECTION_RATING_UP',
  'down': 'CORRECTION_RATING_DOWN',
}

const FeedbackTypeWords: Record<string, FeedbackTypeWord | null> = {
  FEEDBACK_TYPE_UNSPECIFIED: null,
  FEEDBACK_TYPE_BUG: 'bug',
  FEEDBACK_TYPE_FEATURE: 'feature',
  FEEDBACK_TYPE_OTHER: 'other',
}
const FeedbackTypeValues: Record<string, trellis_listings_v1_feedback.FeedbackType> = {
  'bug': 'FEEDBACK_TYPE_BUG',
  'feature': 'FEEDBACK_TYPE_FEATURE',
  'other': 'FEEDBACK_TYPE_OTHER',
}

const MustIncludeModeWords: Record<string, MustIncludeModeWord | null> = {
  MUST_INCLUDE_MODE_UNSPECIFIED: null,
  MUST_INCLUDE_MODE_ALL: 'all',
  MUST_INCLUDE_MODE_ANY: 'any',
  MUST_INCLUDE_MODE_GROUPS: 'groups',
}
const MustIncludeModeValues: Record<string, trellis_listings_v1_listings.MustIncludeMode> = {
  'all': 'MUST_INCLUDE_MODE_ALL',
  'any': 'MUST_INCLUDE_MODE_ANY',
  'groups': 'MUST_INCLUDE_MODE_GROUPS',
}

const AdapterWords: Record<string, AdapterWord | null> = {
  ADAPTER_UNSPECIFIED: null,
  ADAPTER_AUTO: 'auto',
  ADAPTER_API: 'api',
  ADAPTER_SCRAPER: 'scraper',
}
const AdapterValues: Record<string, trellis_listings_v1_listings.Adapter> = {
  'auto': 'ADAPTER_AUTO',
  'api': 'ADAPTER_API',
  'scraper': 'ADAPTER_SCRAPER',
}

const AudioFormatWords: Record<string, AudioFormatWord | null> = {
  AUDIO_FORMAT_UNSPECIFIED: null,
  AUDIO_FORMAT_WAV: 'wav',
  AUDIO_FORMAT_MP3: 'mp3',
  AUDIO_FORMAT_FLAC: 'flac',
}
const AudioFormatValues: Record<string, trellis_music_v1_music.AudioFormat> = {
  'wav': 'AUDIO_FORMAT_WAV',
  'mp3': 'AUDIO_FORMAT_MP3',
  'flac': 'AUDIO_FORMAT_FLAC',
}

export const AnswerChallengeResponseToRest = (m: trellis_listings_v1_account_deletion.AnswerChallengeResponse): AnswerChallengeResponseRest => ({
  challengeResponse: m.challengeResponse,
})

export const AccountDeletionResponseToRest = (_: trellis_listings_v1_account_deletion.AccountDeletionResponse): AccountDeletionResponseRest => ({
})

export const GetWebhookHealthResponseToRest = (m: trellis_listings_v1_account_deletion.GetWebhookHealthResponse): GetWebhookHealthResponseRest => ({
  status: m.status,
  endpoint: m.endpoint,
  signature_verification: m.signatureVerification,
})

export const AlertToRest = (m: trellis_listings_v1_alerts.Alert): AlertRest => ({
  id: m.id,
  kind: AlertKindWords[m.kind] ?? null,
  saved_search_id: m.savedSearchId,
  saved_search_name: m.savedSearchName,
  platform: m.platform,
  platform_listing_id: m.platformListingId,
  title: m.title,
  url: m.url,
  photo_url: m.photoUrl ?? null,
  seller_platform_id: m.sellerPlatformId,
  price: m.price ?? null,
  currency: m.currency,
  price_before: m.priceBefore ?? null,
  buying_format: m.buyingFormat,
  ends_at: m.endsAt ?? null,
  composite_score: m.compositeScore,
  score_is_partial: m.scoreIsPartial,
  created_at: m.createdAt,
  dismissed_at: m.dismissedAt ?? null,
  snoozed_until: m.snoozedUntil ?? null,
})

export const ListAlertsResponseToRest = (m: trellis_listings_v1_alerts.ListAlertsResponse): ListAlertsResponseRest => ({
  alerts: m.alerts.map((item) => AlertToRest(item)),
  unread_count: m.unreadCount,
  next_cursor: m.nextCursor ?? null,
})

export const DismissAllAlertsResponseToRest = (m: trellis_listings_v1_alerts.DismissAllAlertsResponse): DismissAllAlertsResponseRest => ({
  dismissed: m.dismissed,
})

export const QuietHoursToRest = (m: trellis_listings_v1_alerts.QuietHours): QuietHoursRest => ({
  start: m.start,
  end: m.end,
  time_zone: m.timeZone,
})

export const AlertWebhookToRest = (m: trellis_listings_v1_alerts.AlertWebhook): AlertWebhookRest => ({
  url: m.url,
  secret: m.secret,
  delivered_at: m.deliveredAt ?? null,
  last_error: m.lastError ?? null,
})

export const AlertEmailToRest = (m: trellis_listings_v1_alerts.AlertEmail): AlertEmailRest => ({
  address: m.address,
  confirmed: m.confirmed,
  delivered_at: m.deliveredAt ?? null,
  last_error: m.lastError ?? null,
})

export const AlertSettingsToRest = (m: trellis_listings_v1_alerts.AlertSettings): AlertSettingsRest => ({
  quiet_hours: present(m.quietHours, (item) => QuietHoursToRest(item)),
  webhook: present(m.webhook, (item) => AlertWebhookToRest(item)),
  email: present(m.email, (item) => AlertEmailToRest(item)),
  email_available: m.emailAvailable,
  feed_enabled: m.feedEnabled,
})

export const AlertFeedAddressToRest = (m: trellis_listings_v1_alerts.AlertFeedAddress): AlertFeedAddressRest => ({
  url: m.url,
  token: m.token,
})

export const BlockedSellerToRest = (m: trellis_listings_v1_blocklist.BlockedSeller): BlockedSellerRest => ({
  id: m.id,
  platform: m.platform,
  platform_seller_id: m.platformSellerId,
  username: m.username,
  reason: m.reason ?? null,
  source: m.source,
  created_at: m.createdAt,
})

export const ListBlockedSellersResponseToRest = (m: trellis_listings_v1_blocklist.ListBlockedSellersResponse): ListBlockedSellersResponseRest => ({
  entries: m.entries.map((item) => BlockedSellerToRest(item)),
})

export const ImportBlocklistResponseToRest = (m: trellis_listings_v1_blocklist.ImportBlocklistResponse): ImportBlocklistResponseRest => ({
  imported: m.imported,
  errors: m.errors,
})

export const CategoryToRest = (m: trellis_listings_v1_categories.Category): CategoryRest => ({
  category_id: m.categoryId,
  name: m.name,
  full_path: m.fullPath,
  is_leaf: m.isLeaf,
})

export const ListCategoriesResponseToRest = (m: trellis_listings_v1_categories.ListCategoriesResponse): ListCategoriesResponseRest => ({
  categories: m.categories.map((item) => CategoryToRest(item)),
  refreshed_at: m.refreshedAt ?? null,
})

export const AddCorrectionResponseToRest = (m: trellis_listings_v1_corrections.AddCorrectionResponse): AddCorrectionResponseRest => ({
  id: m.id,
  saved: m.saved,
})

export const CorrectionToRest = (m: trellis_listings_v1_corrections.Correction): CorrectionRest => ({
  id: m.id,
  item_id: m.itemId,
  product: m.product,
  correction_type: m.correctionType,
  input_text: m.inputText,
  original_output: m.originalOutput,
  corrected_output: m.correctedOutput,
  rating: m.rating,
  context: jsonOf(m.context),
  opted_in: m.optedIn,
  created_at: m.createdAt,
})

export const ListCorrectionsResponseToRest = (m: trellis_listings_v1_corrections.ListCorrectionsResponse): ListCorrectionsResponseRest => ({
  corrections: m.corrections.map((item) => CorrectionToRest(item)),
  next_cursor: m.nextCursor ?? null,
})

export const GetFeedbackStatusResponseToRest = (m: trellis_listings_v1_feedback.GetFeedbackStatusResponse): GetFeedbackStatusResponseRest => ({
  enabled: m.enabled,
})

export const SendFeedbackResponseToRest = (m: trellis_listings_v1_feedback.SendFeedbackResponse): SendFeedbackResponseRest => ({
  issue_number: m.issueNumber,
  issue_url: m.issueUrl,
})

export const ListingToRest = (m: trellis_listings_v1_listings.Listing): ListingRest => ({
  platform: m.platform,
  platform_listing_id: m.platformListingId,
  title: m.title,
  price: m.price ?? null,
  price_high: m.priceHigh ?? null,
  currency: m.currency,
  condition: m.condition,
  seller_platform_id: m.sellerPlatformId,
  url: m.url,
  photo_urls: m.photoUrls,
  listing_age_days: m.listingAgeDays,
  buying_format: m.buyingFormat,
  ends_at: m.endsAt ?? null,
  bid_count: m.bidCount ?? null,
  id: m.id ?? null,
  fetched_at: m.fetchedAt ?? null,
  trust_score_id: m.trustScoreId ?? null,
  category_name: m.categoryName ?? null,
  first_seen_at: m.firstSeenAt ?? null,
  last_seen_at: m.lastSeenAt ?? null,
  times_seen: m.timesSeen,
  price_at_first_seen: m.priceAtFirstSeen ?? null,
})

export const SignalScoresToRest = (m: trellis_listings_v1_listings.SignalScores): SignalScoresRest => ({
  account_age: m.accountAge ?? null,
  feedback_count: m.feedbackCount ?? null,
  feedback_ratio: m.feedbackRatio ?? null,
  price_vs_market: m.priceVsMarket ?? null,
  category_history: m.categoryHistory ?? null,
})

export const ScoreRangeToRest = (m: trellis_listings_v1_listings.ScoreRange): ScoreRangeRest => ({
  low: m.low,
  high: m.high,
})

export const EvidenceToRest = (m: trellis_listings_v1_listings.Evidence): EvidenceRest => ({
  signal: m.signal,
  text: m.text,
  source: m.source,
  as_of: m.asOf ?? null,
})

export const ImprovementToRest = (m: trellis_listings_v1_listings.Improvement): ImprovementRest => ({
  signal: m.signal,
  text: m.text,
  composite_score: m.compositeScore,
})

export const TrustScoreToRest = (m: trellis_listings_v1_listings.TrustScore): TrustScoreRest => ({
  id: m.id ?? null,
  listing_id: m.listingId ?? null,
  composite_score: m.compositeScore,
  signal_scores: present(m.signalScores, (item) => SignalScoresToRest(item)),
  hard_filters: m.hardFilters,
  soft_flags: m.softFlags,
  score_is_partial: m.scoreIsPartial,
  score_range: present(m.scoreRange, (item) => ScoreRangeToRest(item)),
  evidence: m.evidence.map((item) => EvidenceToRest(item)),
  photo_hash_duplicate: m.photoHashDuplicate,
  photo_analysis_json: m.photoAnalysisJson ?? null,
  scored_at: m.scoredAt,
  improvements: m.improvements.map((item) => ImprovementToRest(item)),
})

export const SellerToRest = (m: trellis_listings_v1_listings.Seller): SellerRest => ({
  id: m.id ?? null,
  platform: m.platform,
  platform_seller_id: m.platformSellerId,
  username: m.username,
  account_age_days: m.accountAgeDays ?? null,
  feedback_count: m.feedbackCount ?? null,
  feedback_ratio: m.feedbackRatio ?? null,
  category_history_json: m.categoryHistoryJson,
  fetched_at: m.fetchedAt ?? null,
})

export const ListingsSearchResponseToRest = (m: trellis_listings_v1_listings.SearchResponse): ListingsSearchResponseRest => ({
  listings: m.listings.map((item) => ListingToRest(item)),
  trust_scores: mapValues(m.trustScores, (item) => TrustScoreToRest(item)),
  sellers: mapValues(m.sellers, (item) => SellerToRest(item)),
  market_price: m.marketPrice ?? null,
  adapter_used: m.adapterUsed,
  affiliate_active: m.affiliateActive,
  session_id: m.sessionId ?? null,
})

export const SearchAsyncResponseToRest = (m: trellis_listings_v1_listings.SearchAsyncResponse): SearchAsyncResponseRest => ({
  session_id: m.sessionId,
  status: m.status,
})

export const FeaturesToRest = (m: trellis_listings_v1_listings.Features): FeaturesRest => ({
  saved_searches: m.savedSearches,
  saved_searches_limit: m.savedSearchesLimit ?? null,
  background_monitoring: m.backgroundMonitoring,
  max_pages: m.maxPages,
  upc_search: m.upcSearch,
  photo_analysis: m.photoAnalysis,
  shared_scammer_db: m.sharedScammerDb,
  shared_image_db: m.sharedImageDb,
  llm_query_builder: m.llmQueryBuilder,
})

export const ApiUseToRest = (m: trellis_listings_v1_listings.ApiUse): ApiUseRest => ({
  calls_today: m.callsToday,
  call_limit: m.callLimit ?? null,
  remaining: m.remaining ?? null,
  resets_at: m.resetsAt ?? null,
  read_at: m.readAt ?? null,
})

export const GetSessionResponseToRest = (m: trellis_listings_v1_listings.GetSessionResponse): GetSessionResponseRest => ({
  user_id: m.userId,
  tier: m.tier,
  features: present(m.features, (item) => FeaturesToRest(item)),
  ...omitNull('api_use', present(m.apiUse, (item) => ApiUseToRest(item))),
})

export const EnrichResponseToRest = (m: trellis_listings_v1_listings.EnrichResponse): EnrichResponseRest => ({
  trust_score: present(m.trustScore, (item) => TrustScoreToRest(item)),
  seller: present(m.seller, (item) => SellerToRest(item)),
})

export const PricePointToRest = (m: trellis_listings_v1_listings.PricePoint): PricePointRest => ({
  price: m.price ?? null,
  currency: m.currency,
  captured_at: m.capturedAt,
})

export const GetListingResponseToRest = (m: trellis_listings_v1_listings.GetListingResponse): GetListingResponseRest => ({
  listing: present(m.listing, (item) => ListingToRest(item)),
  trust_score: present(m.trustScore, (item) => TrustScoreToRest(item)),
  seller: present(m.seller, (item) => SellerToRest(item)),
  price_history: m.priceHistory.map((item) => PricePointToRest(item)),
  sightings: m.sightings,
})

export const MedianIntervalToRest = (m: trellis_listings_v1_listings.MedianInterval): MedianIntervalRest => ({
  low: m.low,
  high: m.high,
  level: m.level,
})

export const StratumPriceToRest = (m: trellis_listings_v1_listings.StratumPrice): StratumPriceRest => ({
  condition: m.condition,
  median_price: m.medianPrice ?? null,
  sample_count: m.sampleCount,
  interval: present(m.interval, (item) => MedianIntervalToRest(item)),
})

export const HistoryBandToRest = (m: trellis_listings_v1_listings.HistoryBand): HistoryBandRest => ({
  days: m.days,
  median_price: m.medianPrice ?? null,
  lowest: m.lowest ?? null,
  highest: m.highest ?? null,
  snapshots: m.snapshots,
  is_covered: m.isCovered,
})

export const CompHistoryToRest = (m: trellis_listings_v1_listings.CompHistory): CompHistoryRest => ({
  first_on: m.firstOn ?? null,
  bands: m.bands.map((item) => HistoryBandToRest(item)),
  deal_below: m.dealBelow ?? null,
  deal_unknown: m.dealUnknown ?? null,
})

export const GetCompsResponseToRest = (m: trellis_listings_v1_listings.GetCompsResponse): GetCompsResponseRest => ({
  query: m.query,
  median_price: m.medianPrice ?? null,
  currency: m.currency ?? null,
  sample_count: m.sampleCount,
  quartiles: jsonOf(m.quartiles),
  expires_at: m.expiresAt ?? null,
  interval: present(m.interval, (item) => MedianIntervalToRest(item)),
  confidence: m.confidence,
  modes: m.modes,
  recent_median: m.recentMedian ?? null,
  strata: m.strata.map((item) => StratumPriceToRest(item)),
  excluded: m.excluded,
  history: present(m.history, (item) => CompHistoryToRest(item)),
})

export const HealthToRest = (m: trellis_http_v1_messages.Health): HealthRest => ({
  status: m.status,
})

export const DriftingFieldToRest = (m: trellis_listings_v1_listings.DriftingField): DriftingFieldRest => ({
  page: m.page,
  field: m.field,
  recent: m.recent,
  baseline: m.baseline,
})

export const PageDriftToRest = (m: trellis_listings_v1_listings.PageDrift): PageDriftRest => ({
  fields: m.fields.map((item) => DriftingFieldToRest(item)),
})

export const CampaignPreferencesToRest = (m: trellis_listings_v1_preferences.CampaignPreferences): CampaignPreferencesRest => ({
  ...omitNull('marketplace', m.marketplace ?? null),
})

export const AffiliatePreferencesToRest = (m: trellis_listings_v1_preferences.AffiliatePreferences): AffiliatePreferencesRest => ({
  ...omitNull('opt_out', m.optOut ?? null),
  ...omitNull('byok_ids', present(m.byokIds, (item) => CampaignPreferencesToRest(item))),
})

export const CommunityPreferencesToRest = (m: trellis_listings_v1_preferences.CommunityPreferences): CommunityPreferencesRest => ({
  ...omitNull('blocklist_share', m.blocklistShare ?? null),
})

export const DisplayPreferencesToRest = (m: trellis_listings_v1_preferences.DisplayPreferences): DisplayPreferencesRest => ({
  ...omitNull('currency', m.currency ?? null),
  ...omitNull('theme', m.theme ?? null),
})

export const SearchPreferencesToRest = (m: trellis_listings_v1_preferences.SearchPreferences): SearchPreferencesRest => ({
  ...omitNull('defaults', m.defaults ?? null),
})

export const PreferencesToRest = (m: trellis_listings_v1_preferences.Preferences): PreferencesRest => ({
  ...omitNull('affiliate', present(m.affiliate, (item) => AffiliatePreferencesToRest(item))),
  ...omitNull('community', present(m.community, (item) => CommunityPreferencesToRest(item))),
  ...omitNull('display', present(m.display, (item) => DisplayPreferencesToRest(item))),
  ...omitNull('search', present(m.search, (item) => SearchPreferencesToRest(item))),
})

export const BuildSearchResponseToRest = (m: trellis_listings_v1_query_builder.BuildSearchResponse): BuildSearchResponseRest => ({
  base_query: m.baseQuery,
  must_include_mode: m.mustIncludeMode,
  must_include: m.mustInclude,
  must_exclude: m.mustExclude,
  max_price: m.maxPrice ?? null,
  min_price: m.minPrice ?? null,
  condition: m.condition,
  category_id: m.categoryId ?? null,
  explanation: m.explanation,
})

export const ListReportedSellersResponseToRest = (m: trellis_listings_v1_reported.ListReportedSellersResponse): ListReportedSellersResponseRest => ({
  reported: m.reported,
})

export const SavedSearchToRest = (m: trellis_listings_v1_saved_searches.SavedSearch): SavedSearchRest => ({
  id: m.id,
  name: m.name,
  query: m.query,
  platform: m.platform,
  filters_json: m.filtersJson,
  created_at: m.createdAt,
  last_run_at: m.lastRunAt ?? null,
  monitor_enabled: m.monitorEnabled,
  poll_interval_min: m.pollIntervalMin,
  min_trust_score: m.minTrustScore,
  last_checked_at: m.lastCheckedAt ?? null,
  last_error: m.lastError ?? null,
  next_check_at: m.nextCheckAt ?? null,
})

export const ListSavedSearchesResponseToRest = (m: trellis_listings_v1_saved_searches.ListSavedSearchesResponse): ListSavedSearchesResponseRest => ({
  saved_searches: m.savedSearches.map((item) => SavedSearchToRest(item)),
})

export const RunSavedSearchResponseToRest = (m: trellis_listings_v1_saved_searches.RunSavedSearchResponse): RunSavedSearchResponseRest => ({
  ok: m.ok,
})

export const BlocklistCandidateToRest = (m: trellis_logs_v1_blocklist.BlocklistCandidate): BlocklistCandidateRest => ({
  id: m.id,
  domain: m.domain,
  status: m.status,
  count: m.count,
  first_seen: m.firstSeen,
  last_seen: m.lastSeen,
  source_ids: m.sourceIds,
  device: m.device ?? null,
  last_error: m.lastError ?? null,
  devices: m.devices,
  score: m.score,
  reasons: m.reasons,
})

export const ListBlocklistCandidatesResponseToRest = (m: trellis_logs_v1_blocklist.ListBlocklistCandidatesResponse): ListBlocklistCandidatesResponseRest => ({
  candidates: m.candidates.map((item) => BlocklistCandidateToRest(item)),
  total: m.total,
})

export const BlocklistScanToRest = (m: trellis_logs_v1_blocklist.BlocklistScan): BlocklistScanRest => ({
  entries_read: m.entriesRead,
  domains: m.domains,
  new_candidates: m.newCandidates,
  is_complete: m.isComplete,
})

export const BlocklistTestToRest = (m: trellis_logs_v1_blocklist.BlocklistTest): BlocklistTestRest => ({
  ok: m.ok,
  detail: m.detail,
})

export const TaskProgressToRest = (m: trellis_logs_v1_logs.TaskProgress): TaskProgressRest => ({
  done: m.done,
  total: m.total ?? null,
  unit: m.unit,
})

export const UploadCountsToRest = (m: trellis_logs_v1_logs.UploadCounts): UploadCountsRest => ({
  lines: m.lines,
  entries: m.entries,
  duplicates: m.duplicates,
  rejected: m.rejected,
  multiline_joined: m.multilineJoined,
})

export const SkippedFileToRest = (m: trellis_logs_v1_logs.SkippedFile): SkippedFileRest => ({
  name: m.name,
  reason: m.reason,
})

export const FreedRoomToRest = (m: trellis_logs_v1_logs.FreedRoom): FreedRoomRest => ({
  entries: m.entries,
  bytes: m.bytes,
  files: m.files,
})

export const TaskToRest = (m: trellis_logs_v1_logs.Task): TaskRest => ({
  task_id: m.taskId,
  kind: m.kind,
  status: m.status,
  progress: present(m.progress, (item) => TaskProgressToRest(item)),
  counts: present(m.counts, (item) => UploadCountsToRest(item)),
  formats: m.formats,
  error: m.error ?? null,
  started_at: m.startedAt ?? null,
  finished_at: m.finishedAt ?? null,
  skipped: m.skipped.map((item) => SkippedFileToRest(item)),
  skipped_count: m.skippedCount,
  freed: present(m.freed, (item) => FreedRoomToRest(item)),
})

export const FoundEntryToRest = (m: trellis_logs_v1_logs.FoundEntry): FoundEntryRest => ({
  entry_id: m.entryId,
  source_id: m.sourceId,
  branch: m.branch ?? null,
  sequence: m.sequence,
  timestamp_iso: m.timestampIso ?? null,
  timestamp_raw: m.timestampRaw ?? null,
  ingest_time: m.ingestTime,
  severity: m.severity ?? null,
  repeat_count: m.repeatCount,
  format: m.format,
  text: m.text,
  message: m.message,
  fields: jsonOf(m.fields),
  truncated: m.truncated,
  matched_patterns: m.matchedPatterns,
  template_id: m.templateId ?? null,
  out_of_order: m.outOfOrder,
  anomaly_score: m.anomalyScore ?? null,
  anomaly_label: m.anomalyLabel ?? null,
  anomaly_scored_at: m.anomalyScoredAt ?? null,
  ml_score: m.mlScore ?? null,
  ml_label: m.mlLabel ?? null,
  ml_scored_at: m.mlScoredAt ?? null,
  tenant_id: m.tenantId,
  anonymized: m.anonymized,
  score: m.score,
  highlights: jsonOf(m.highlights),
})

export const FacetValueToRest = (m: trellis_logs_v1_logs.FacetValue): FacetValueRest => ({
  value: m.value ?? null,
  count: m.count,
})

export const FacetsToRest = (m: trellis_logs_v1_logs.Facets): FacetsRest => ({
  severity: m.severity.map((item) => FacetValueToRest(item)),
  source: m.source.map((item) => FacetValueToRest(item)),
  domain: m.domain.map((item) => FacetValueToRest(item)),
})

export const HistogramToRest = (m: trellis_logs_v1_logs.Histogram): HistogramRest => ({
  start: m.start,
  bucket_seconds: m.bucketSeconds,
  counts: m.counts,
  later: m.later,
  earlier: m.earlier,
  by_severity: jsonOf(m.bySeverity),
})

export const LogsSearchResponseToRest = (m: trellis_logs_v1_logs.SearchResponse): LogsSearchResponseRest => ({
  entries: m.entries.map((item) => FoundEntryToRest(item)),
  total: m.total,
  total_is_exact: m.totalIsExact,
  took_ms: m.tookMs,
  mode: m.mode,
  semantic_fallback: m.semanticFallback ?? null,
  facets: present(m.facets, (item) => FacetsToRest(item)),
  histogram: present(m.histogram, (item) => HistogramToRest(item)),
  next_cursor: m.nextCursor ?? null,
})

export const EntryToRest = (m: trellis_logs_v1_logs.Entry): EntryRest => ({
  entry_id: m.entryId,
  source_id: m.sourceId,
  branch: m.branch ?? null,
  sequence: m.sequence,
  timestamp_iso: m.timestampIso ?? null,
  timestamp_raw: m.timestampRaw ?? null,
  ingest_time: m.ingestTime,
  severity: m.severity ?? null,
  repeat_count: m.repeatCount,
  format: m.format,
  text: m.text,
  message: m.message,
  fields: jsonOf(m.fields),
  truncated: m.truncated,
  matched_patterns: m.matchedPatterns,
  template_id: m.templateId ?? null,
  out_of_order: m.outOfOrder,
  anomaly_score: m.anomalyScore ?? null,
  anomaly_label: m.anomalyLabel ?? null,
  anomaly_scored_at: m.anomalyScoredAt ?? null,
  ml_score: m.mlScore ?? null,
  ml_label: m.mlLabel ?? null,
  ml_scored_at: m.mlScoredAt ?? null,
  tenant_id: m.tenantId,
  anonymized: m.anonymized,
})

export const GetContextResponseToRest = (m: trellis_logs_v1_logs.GetContextResponse): GetContextResponseRest => ({
  entries: m.entries.map((item) => EntryToRest(item)),
})

export const WindowToRest = (m: trellis_logs_v1_logs.Window): WindowRest => ({
  start: m.start ?? null,
  end: m.end ?? null,
  source: m.source,
})

export const SummaryToRest = (m: trellis_logs_v1_logs.Summary): SummaryRest => ({
  text: m.text,
  source: m.source,
  by_domain: m.byDomain,
  by_severity: m.bySeverity,
  by_source: m.bySource,
})

export const TimelinePointToRest = (m: trellis_logs_v1_logs.TimelinePoint): TimelinePointRest => ({
  time: m.time,
  count: m.count,
  errors: m.errors,
})

export const TemplateCountToRest = (m: trellis_logs_v1_logs.TemplateCount): TemplateCountRest => ({
  template_id: m.templateId,
  template: m.template,
  count: m.count,
})

export const FactToRest = (m: trellis_logs_v1_logs.Fact): FactRest => ({
  category: m.category,
  key: m.key,
  value: m.value,
})

export const SuspectedCauseToRest = (m: trellis_logs_v1_logs.SuspectedCause): SuspectedCauseRest => ({
  title: m.title,
  confidence: m.confidence,
  evidence: m.evidence,
})

export const TimelineLeftOutToRest = (m: trellis_logs_v1_logs.TimelineLeftOut): TimelineLeftOutRest => ({
  earlier: m.earlier,
  later: m.later,
})

export const DiagnosisToRest = (m: trellis_logs_v1_logs.Diagnosis): DiagnosisRest => ({
  query: m.query,
  window: present(m.window, (item) => WindowToRest(item)),
  keywords: m.keywords,
  summary: present(m.summary, (item) => SummaryToRest(item)),
  timeline: m.timeline.map((item) => TimelinePointToRest(item)),
  entries: m.entries.map((item) => EntryToRest(item)),
  templates: m.templates.map((item) => TemplateCountToRest(item)),
  facts: m.facts.map((item) => FactToRest(item)),
  reasoning: m.reasoning,
  suspected_causes: m.suspectedCauses.map((item) => SuspectedCauseToRest(item)),
  took_ms: m.tookMs,
  timeline_left_out: present(m.timelineLeftOut, (item) => TimelineLeftOutToRest(item)),
})

export const PatternToRest = (m: trellis_logs_v1_logs.Pattern): PatternRest => ({
  tag: m.tag,
  domain: m.domain,
  severity: m.severity ?? null,
  description: m.description,
  source: m.source,
  file: m.file ?? null,
})

export const PatternProblemToRest = (m: trellis_logs_v1_logs.PatternProblem): PatternProblemRest => ({
  file: m.file,
  problem: m.problem,
})

export const ListPatternsResponseToRest = (m: trellis_logs_v1_logs.ListPatternsResponse): ListPatternsResponseRest => ({
  patterns: m.patterns.map((item) => PatternToRest(item)),
  problems: m.problems.map((item) => PatternProblemToRest(item)),
})

export const SourceToRest = (m: trellis_logs_v1_logs.Source): SourceRest => ({
  source_id: m.sourceId,
  entry_count: m.entryCount,
  error_count: m.errorCount,
  first_seen: m.firstSeen ?? null,
  last_seen: m.lastSeen ?? null,
  unit_count: m.unitCount,
})

export const ListSourcesResponseToRest = (m: trellis_logs_v1_logs.ListSourcesResponse): ListSourcesResponseRest => ({
  sources: m.sources.map((item) => SourceToRest(item)),
})

export const SuggestedSourceToRest = (m: trellis_logs_v1_logs.SuggestedSource): SuggestedSourceRest => ({
  source_id: m.sourceId,
  score: m.score,
  reason: m.reason,
})

export const SuggestSourcesResponseToRest = (m: trellis_logs_v1_logs.SuggestSourcesResponse): SuggestSourcesResponseRest => ({
  sources: m.sources.map((item) => SuggestedSourceToRest(item)),
  untracked_names: m.untrackedNames,
})

export const RejectedEntryToRest = (m: trellis_logs_v1_logs.RejectedEntry): RejectedEntryRest => ({
  index: m.index,
  reason: m.reason,
})

export const GleanBatchResponseToRest = (m: trellis_logs_v1_logs.GleanBatchResponse): GleanBatchResponseRest => ({
  accepted: m.accepted,
  duplicates: m.duplicates,
  rejected: m.rejected.map((item) => RejectedEntryToRest(item)),
})

export const SourceHealthToRest = (m: trellis_logs_v1_logs.SourceHealth): SourceHealthRest => ({
  source_id: m.sourceId,
  status: m.status,
  entry_count: m.entryCount,
  error_count: m.errorCount,
  last_seen: m.lastSeen ?? null,
})

export const StatsToRest = (m: trellis_logs_v1_logs.Stats): StatsRest => ({
  window_hours: m.windowHours,
  critical_count: m.criticalCount,
  error_count: m.errorCount,
  warn_count: m.warnCount,
  sources: m.sources.map((item) => SourceHealthToRest(item)),
  recent_criticals: m.recentCriticals.map((item) => EntryToRest(item)),
})

export const GraftToRest = (m: trellis_logs_v1_logs.Graft): GraftRest => ({
  slug: m.slug,
  port: m.port,
  state: m.state,
  submit_endpoint: m.submitEndpoint,
  api_key: m.apiKey,
})

export const OrchardBranchToRest = (m: trellis_logs_v1_logs.OrchardBranch): OrchardBranchRest => ({
  slug: m.slug,
  label: m.label,
  port: m.port,
  state: m.state,
  submit_endpoint: m.submitEndpoint,
  data_dir: m.dataDir,
  entry_count: m.entryCount ?? null,
  last_seen: m.lastSeen ?? null,
  created_at: m.createdAt,
})

export const ListBranchesResponseToRest = (m: trellis_logs_v1_logs.ListBranchesResponse): ListBranchesResponseRest => ({
  branches: m.branches.map((item) => OrchardBranchToRest(item)),
})

export const AnonymizationToRest = (m: trellis_logs_v1_logs.Anonymization): AnonymizationRest => ({
  entries_changed: m.entriesChanged,
  addresses: m.addresses,
  usernames: m.usernames,
})

export const ConfiguredSourceToRest = (m: trellis_logs_v1_collect.ConfiguredSource): ConfiguredSourceRest => ({
  id: m.id,
  source_id: m.sourceId,
  transport: m.transport,
  glean_type: m.gleanType,
  host: m.host,
  path: m.path ?? null,
  enabled: m.enabled,
  entry_count: m.entryCount,
  error_count: m.errorCount,
  first_seen: m.firstSeen ?? null,
  last_seen: m.lastSeen ?? null,
  unit_count: m.unitCount,
  last_glean: m.lastGlean ?? null,
  last_error: m.lastError ?? null,
})

export const ListConfiguredSourcesResponseToRest = (m: trellis_logs_v1_collect.ListConfiguredSourcesResponse): ListConfiguredSourcesResponseRest => ({
  sources: m.sources.map((item) => ConfiguredSourceToRest(item)),
  problems: m.problems,
})

export const WatchStatusToRest = (m: trellis_logs_v1_collect.WatchStatus): WatchStatusRest => ({
  running: m.running,
  sources: m.sources,
  buffered: m.buffered,
  last_flush_at: m.lastFlushAt ?? null,
  problems: m.problems,
})

export const ContextDocToRest = (m: trellis_logs_v1_context.ContextDoc): ContextDocRest => ({
  id: m.id,
  title: m.title,
  text: m.text,
  tags: m.tags,
  chunk_count: m.chunkCount,
  created_at: m.createdAt,
})

export const ListContextDocsResponseToRest = (m: trellis_logs_v1_context.ListContextDocsResponse): ListContextDocsResponseRest => ({
  docs: m.docs.map((item) => ContextDocToRest(item)),
})

export const ContextDeletionToRest = (m: trellis_logs_v1_context.ContextDeletion): ContextDeletionRest => ({
  deleted: m.deleted,
})

export const ContextFactToRest = (m: trellis_logs_v1_context.ContextFact): ContextFactRest => ({
  id: m.id,
  category: m.category,
  key: m.key,
  value: m.value,
  source: m.source,
  created_at: m.createdAt,
})

export const ListContextFactsResponseToRest = (m: trellis_logs_v1_context.ListContextFactsResponse): ListContextFactsResponseRest => ({
  facts: m.facts.map((item) => ContextFactToRest(item)),
})

export const ContextWizardColumnToRest = (m: trellis_logs_v1_context.ContextWizardColumn): ContextWizardColumnRest => ({
  name: m.name,
  label: m.label,
  type: m.type,
  required: m.required,
  help: m.help,
  options: m.options,
})

export const ContextWizardFieldToRest = (m: trellis_logs_v1_context.ContextWizardField): ContextWizardFieldRest => ({
  name: m.name,
  label: m.label,
  type: m.type,
  help: m.help,
  options: m.options,
  columns: m.columns.map((item) => ContextWizardColumnToRest(item)),
})

export const ContextWizardStepToRest = (m: trellis_logs_v1_context.ContextWizardStep): ContextWizardStepRest => ({
  id: m.id,
  title: m.title,
  description: m.description,
  fields: m.fields.map((item) => ContextWizardFieldToRest(item)),
  answers: jsonOf(m.answers),
})

export const ContextWizardToRest = (m: trellis_logs_v1_context.ContextWizard): ContextWizardRest => ({
  steps: m.steps.map((item) => ContextWizardStepToRest(item)),
})

export const ContextFactPreviewToRest = (m: trellis_logs_v1_context.ContextFactPreview): ContextFactPreviewRest => ({
  category: m.category,
  key: m.key,
  value: m.value,
  change: m.change,
})

export const ContextWizardAnswerToRest = (m: trellis_logs_v1_context.ContextWizardAnswer): ContextWizardAnswerRest => ({
  next_step: m.nextStep ?? null,
  facts_preview: m.factsPreview.map((item) => ContextFactPreviewToRest(item)),
})

export const ContextWizardResultToRest = (m: trellis_logs_v1_context.ContextWizardResult): ContextWizardResultRest => ({
  facts_created: m.factsCreated,
  facts_updated: m.factsUpdated,
  facts_removed: m.factsRemoved,
})

export const ContextChunkMatchToRest = (m: trellis_logs_v1_context.ContextChunkMatch): ContextChunkMatchRest => ({
  doc_id: m.docId,
  text: m.text,
  score: m.score,
  title: m.title,
  headings: m.headings,
})

export const ContextFactMatchToRest = (m: trellis_logs_v1_context.ContextFactMatch): ContextFactMatchRest => ({
  category: m.category,
  key: m.key,
  value: m.value,
  score: m.score,
})

export const ContextMatchesToRest = (m: trellis_logs_v1_context.ContextMatches): ContextMatchesRest => ({
  chunks: m.chunks.map((item) => ContextChunkMatchToRest(item)),
  facts: m.facts.map((item) => ContextFactMatchToRest(item)),
})

export const FormatToRest = (m: trellis_logs_v1_formats.Format): FormatRest => ({
  name: m.name ?? null,
  description: m.description ?? null,
  source: m.source,
  file: m.file ?? null,
  error: m.error ?? null,
  example: m.example ?? null,
})

export const ListFormatsResponseToRest = (m: trellis_logs_v1_formats.ListFormatsResponse): ListFormatsResponseRest => ({
  formats: m.formats.map((item) => FormatToRest(item)),
})

export const IncidentToRest = (m: trellis_logs_v1_incidents.Incident): IncidentRest => ({
  id: m.id,
  label: m.label,
  status: m.status,
  started_at: m.startedAt,
  ended_at: m.endedAt ?? null,
  notes: m.notes,
  severity: m.severity ?? null,
  issue_type: m.issueType ?? null,
  query: m.query ?? null,
  source_id: m.sourceId ?? null,
  automatic: m.automatic,
  error_count: m.errorCount,
  attached_count: m.attachedCount,
  created_at: m.createdAt,
  updated_at: m.updatedAt,
  acknowledged_at: m.acknowledgedAt ?? null,
  resolved_at: m.resolvedAt ?? null,
})

export const ListIncidentsResponseToRest = (m: trellis_logs_v1_incidents.ListIncidentsResponse): ListIncidentsResponseRest => ({
  incidents: m.incidents.map((item) => IncidentToRest(item)),
  next_cursor: m.nextCursor ?? null,
})

export const IncidentEventToRest = (m: trellis_logs_v1_incidents.IncidentEvent): IncidentEventRest => ({
  kind: m.kind,
  detail: m.detail,
  at: m.at,
})

export const SimilarIncidentToRest = (m: trellis_logs_v1_incidents.SimilarIncident): SimilarIncidentRest => ({
  id: m.id,
  label: m.label,
  status: m.status,
  issue_type: m.issueType ?? null,
  started_at: m.startedAt,
  ended_at: m.endedAt ?? null,
  notes: m.notes,
})

export const IncidentDetailToRest = (m: trellis_logs_v1_incidents.IncidentDetail): IncidentDetailRest => ({
  id: m.id,
  label: m.label,
  status: m.status,
  started_at: m.startedAt,
  ended_at: m.endedAt ?? null,
  notes: m.notes,
  severity: m.severity ?? null,
  issue_type: m.issueType ?? null,
  query: m.query ?? null,
  source_id: m.sourceId ?? null,
  automatic: m.automatic,
  error_count: m.errorCount,
  attached_count: m.attachedCount,
  created_at: m.createdAt,
  updated_at: m.updatedAt,
  acknowledged_at: m.acknowledgedAt ?? null,
  resolved_at: m.resolvedAt ?? null,
  entries: m.entries.map((item) => EntryToRest(item)),
  entry_count: m.entryCount,
  timeline: m.timeline.map((item) => IncidentEventToRest(item)),
  similar: m.similar.map((item) => SimilarIncidentToRest(item)),
  attached_entry_ids: m.attachedEntryIds,
})

export const AttachEntriesResponseToRest = (m: trellis_logs_v1_incidents.AttachEntriesResponse): AttachEntriesResponseRest => ({
  attached: m.attached,
  attached_count: m.attachedCount,
})

export const SentBundleToRest = (m: trellis_logs_v1_incidents.SentBundle): SentBundleRest => ({
  id: m.id,
  incident_id: m.incidentId,
  destination: m.destination,
  sanitized: m.sanitized,
  status: m.status,
  sent_at: m.sentAt ?? null,
  created_at: m.createdAt,
  attempts: m.attempts,
  next_attempt_at: m.nextAttemptAt ?? null,
  last_error: m.lastError ?? null,
})

export const TicketToRest = (m: trellis_logs_v1_incidents.Ticket): TicketRest => ({
  tracker: m.tracker,
  ticket_id: m.ticketId,
  url: m.url,
  created: m.created,
})

export const BundleIdToRest = (m: trellis_logs_v1_incidents.BundleId): BundleIdRest => ({
  id: m.id,
})

export const BundleToRest = (m: trellis_logs_v1_incidents.Bundle): BundleRest => ({
  id: m.id,
  bundle_version: m.bundleVersion,
  service_version: m.serviceVersion ?? null,
  exported_at: m.exportedAt,
  sanitized: m.sanitized,
  label: m.label,
  issue_type: m.issueType ?? null,
  severity: m.severity ?? null,
  entry_count: m.entryCount,
  bytes: m.bytes,
  received_at: m.receivedAt,
})

export const ListBundlesResponseToRest = (m: trellis_logs_v1_incidents.ListBundlesResponse): ListBundlesResponseRest => ({
  bundles: m.bundles.map((item) => BundleToRest(item)),
  next_cursor: m.nextCursor ?? null,
})

export const BundleDetailToRest = (m: trellis_logs_v1_incidents.BundleDetail): BundleDetailRest => ({
  id: m.id,
  bundle_version: m.bundleVersion,
  service_version: m.serviceVersion ?? null,
  exported_at: m.exportedAt,
  sanitized: m.sanitized,
  label: m.label,
  issue_type: m.issueType ?? null,
  severity: m.severity ?? null,
  entry_count: m.entryCount,
  bytes: m.bytes,
  received_at: m.receivedAt,
  bundle: jsonOf(m.bundle),
})

export const ListSentBundlesResponseToRest = (m: trellis_logs_v1_incidents.ListSentBundlesResponse): ListSentBundlesResponseRest => ({
  sent_bundles: m.sentBundles.map((item) => SentBundleToRest(item)),
  next_cursor: m.nextCursor ?? null,
  receiver: m.receiver ?? null,
})

export const ScorerModelToRest = (m: trellis_logs_v1_scoring.ScorerModel): ScorerModelRest => ({
  configured: m.configured,
  loaded: m.loaded,
  problem: m.problem ?? null,
  labels: m.labels,
  threshold: m.threshold,
})

export const ScorerOutcomeToRest = (m: trellis_logs_v1_scoring.ScorerOutcome): ScorerOutcomeRest => ({
  started_at: m.startedAt,
  finished_at: m.finishedAt,
  sources: m.sources,
  entries: m.entries,
  detections: m.detections,
})

export const ScorerStatusToRest = (m: trellis_logs_v1_scoring.ScorerStatus): ScorerStatusRest => ({
  scorer: m.scorer,
  running: m.running,
  task_id: m.taskId ?? null,
  model: present(m.model, (item) => ScorerModelToRest(item)),
  last_run_at: m.lastRunAt ?? null,
  last_run: present(m.lastRun, (item) => ScorerOutcomeToRest(item)),
  detections: m.detections,
  unacknowledged: m.unacknowledged,
  problem: m.problem ?? null,
  unscored: m.unscored,
})

export const DetectionToRest = (m: trellis_logs_v1_scoring.Detection): DetectionRest => ({
  id: m.id,
  entry_id: m.entryId,
  scorer: m.scorer,
  score: m.score,
  label: m.label,
  severity: m.severity ?? null,
  text: m.text,
  source_id: m.sourceId,
  detected_at: m.detectedAt,
  acknowledged: m.acknowledged,
  acknowledged_at: m.acknowledgedAt ?? null,
  notes: m.notes ?? null,
  reason: m.reason,
  subject: m.subject,
  entry_count: m.entryCount,
  first_seen: m.firstSeen,
  last_seen: m.lastSeen,
})

export const ListDetectionsResponseToRest = (m: trellis_logs_v1_scoring.ListDetectionsResponse): ListDetectionsResponseRest => ({
  detections: m.detections.map((item) => DetectionToRest(item)),
  next_cursor: m.nextCursor ?? null,
})

export const SettingsToRest = (m: trellis_logs_v1_settings.Settings): SettingsRest => ({
  llm_base_url: m.llmBaseUrl,
  llm_model: m.llmModel,
  llm_api_key: m.llmApiKey,
  tech_level: m.techLevel,
  dns_filter_url: m.dnsFilterUrl,
  dns_filter_version: m.dnsFilterVersion,
  dns_filter_api_key: m.dnsFilterApiKey,
  dns_filter_certificate: m.dnsFilterCertificate,
  router_source_ids: m.routerSourceIds,
  device_names: m.deviceNames,
  media_monitor_token: m.mediaMonitorToken,
  notion_url: m.notionUrl,
  notion_token: m.notionToken,
  notion_database_id: m.notionDatabaseId,
  jira_url: m.jiraUrl,
  jira_email: m.jiraEmail,
  jira_token: m.jiraToken,
  jira_project: m.jiraProject,
  jira_issue_type: m.jiraIssueType,
})

export const SetupStatusToRest = (m: trellis_logs_v1_setup.SetupStatus): SetupStatusRest => ({
  has_sources: m.hasSources,
  source_count: m.sourceCount,
  problems: m.problems,
})

export const LogFileToRest = (m: trellis_logs_v1_setup.LogFile): LogFileRest => ({
  path: m.path,
  size: m.size,
  modified_at: m.modifiedAt,
})

export const SourceDraftToRest = (m: trellis_logs_v1_setup.SourceDraft): SourceDraftRest => ({
  id: m.id,
  transport: m.transport ?? null,
  glean_type: m.gleanType ?? null,
  path: m.path ?? null,
  enabled: m.enabled ?? null,
  source_id: m.sourceId ?? null,
  host: m.host ?? null,
  tenant_id: m.tenantId ?? null,
  retention_days: m.retentionDays ?? null,
  format: m.format ?? null,
  timezone: m.timezone ?? null,
  multiline: m.multiline ?? null,
  include: m.include,
  exclude: m.exclude,
  recursive: m.recursive ?? null,
  units: m.units,
  containers: m.containers,
  socket: m.socket ?? null,
  ssh_target: m.sshTarget ?? null,
  port: m.port ?? null,
  user: m.user ?? null,
  key_path: m.keyPath ?? null,
  remote_path: m.remotePath ?? null,
})

export const DiscoveryToRest = (m: trellis_logs_v1_setup.Discovery): DiscoveryRest => ({
  journald: m.journald,
  docker: m.docker,
  podman: m.podman,
  files: m.files.map((item) => LogFileToRest(item)),
  suggestions: m.suggestions.map((item) => SourceDraftToRest(item)),
})

export const WriteSourcesResponseToRest = (m: trellis_logs_v1_setup.WriteSourcesResponse): WriteSourcesResponseRest => ({
  written: m.written,
  sources: m.sources.map((item) => SourceDraftToRest(item)),
})

export const InterpretationToRest = (m: trellis_logs_v1_setup.Interpretation): InterpretationRest => ({
  source: present(m.source, (item) => SourceDraftToRest(item)),
  method: m.method ?? null,
  reason: m.reason ?? null,
})

export const ScannedFileToRest = (m: trellis_logs_v1_setup.ScannedFile): ScannedFileRest => ({
  path: m.path,
  score: m.score,
  size: m.size,
  modified_at: m.modifiedAt,
  matches: m.matches,
})

export const ScanResultToRest = (m: trellis_logs_v1_setup.ScanResult): ScanResultRest => ({
  files: m.files.map((item) => ScannedFileToRest(item)),
  is_complete: m.isComplete,
})

export const SshTargetToRest = (m: trellis_logs_v1_ssh_targets.SshTarget): SshTargetRest => ({
  id: m.id,
  label: m.label,
  host: m.host,
  port: m.port,
  user: m.user,
  key_path: m.keyPath,
  last_tested: m.lastTested ?? null,
  last_ok: m.lastOk ?? null,
  last_error: m.lastError ?? null,
  host_key_fingerprint: m.hostKeyFingerprint ?? null,
  warnings: m.warnings,
  created_at: m.createdAt,
  updated_at: m.updatedAt,
})

export const ListSshTargetsResponseToRest = (m: trellis_logs_v1_ssh_targets.ListSshTargetsResponse): ListSshTargetsResponseRest => ({
  ssh_targets: m.sshTargets.map((item) => SshTargetToRest(item)),
})

export const SshTargetTestToRest = (m: trellis_logs_v1_ssh_targets.SshTargetTest): SshTargetTestRest => ({
  ok: m.ok,
  error: m.error ?? null,
  host_key_fingerprint: m.hostKeyFingerprint ?? null,
  warnings: m.warnings,
  took_ms: m.tookMs,
  target: present(m.target, (item) => SshTargetToRest(item)),
})

export const TemplateTrendToRest = (m: trellis_logs_v1_templates.TemplateTrend): TemplateTrendRest => ({
  direction: m.direction,
  start: m.start,
  bucket_seconds: m.bucketSeconds,
  counts: m.counts,
})

export const TemplateToRest = (m: trellis_logs_v1_templates.Template): TemplateRest => ({
  template_id: m.templateId,
  template: m.template,
  count: m.count,
  first_seen: m.firstSeen,
  last_seen: m.lastSeen,
  severity: m.severity ?? null,
  trend: present(m.trend, (item) => TemplateTrendToRest(item)),
})

export const ListTemplatesResponseToRest = (m: trellis_logs_v1_templates.ListTemplatesResponse): ListTemplatesResponseRest => ({
  templates: m.templates.map((item) => TemplateToRest(item)),
  total: m.total,
  next_cursor: m.nextCursor ?? null,
})

export const TemplateDetailToRest = (m: trellis_logs_v1_templates.TemplateDetail): TemplateDetailRest => ({
  template: present(m.template, (item) => TemplateToRest(item)),
  sources: m.sources.map((item) => FacetValueToRest(item)),
  examples: m.examples.map((item) => EntryToRest(item)),
})

export const SeamToRest = (m: trellis_music_v1_music.Seam): SeamRest => ({
  distance_percentile: m.distancePercentile ?? null,
  loudness_step_lu: m.loudnessStepLu ?? null,
  beat_error_ms: m.beatErrorMs ?? null,
})

export const StemToRest = (m: trellis_music_v1_music.Stem): StemRest => ({
  name: m.name,
  url: m.url,
  energy_share: m.energyShare,
})

export const StemsToRest = (m: trellis_music_v1_music.Stems): StemsRest => ({
  status: m.status,
  method: m.method ?? null,
  progress: m.progress,
  error: m.error ?? null,
  stems: m.stems.map((item) => StemToRest(item)),
})

export const NodeToRest = (m: trellis_music_v1_music.Node): NodeRest => ({
  node_id: m.nodeId,
  chain_id: m.chainId,
  parent_id: m.parentId ?? null,
  status: NodeStatusWords[m.status] ?? null,
  decision: DecisionWords[m.decision] ?? null,
  kind: NodeKindWords[m.kind] ?? null,
  prompt: m.prompt,
  seed: m.seed ?? null,
  duration_seconds: m.durationSeconds,
  context_seconds: m.contextSeconds ?? null,
  generator: GeneratorWords[m.generator] ?? null,
  progress: m.progress,
  error: m.error ?? null,
  seam: present(m.seam, (item) => SeamToRest(item)),
  bpm: m.bpm ?? null,
  key: m.key ?? null,
  loudness_lufs: m.loudnessLufs ?? null,
  audio_url: m.audioUrl,
  peaks_url: m.peaksUrl,
  stems: present(m.stems, (item) => StemsToRest(item)),
  created_at: m.createdAt,
  ready_at: m.readyAt ?? null,
  prompt_honored: m.promptHonored,
  prompt_ignored: m.promptIgnored,
  loudness_range_lu: m.loudnessRangeLu ?? null,
})

export const ChainToRest = (m: trellis_music_v1_music.Chain): ChainRest => ({
  chain_id: m.chainId,
  name: m.name,
  created_at: m.createdAt,
  updated_at: m.updatedAt,
  sample_rate: m.sampleRate,
  channels: m.channels,
  root_node_id: m.rootNodeId,
  spine: m.spine,
  nodes: m.nodes.map((item) => NodeToRest(item)),
  bpm: m.bpm ?? null,
  key: m.key ?? null,
  loudness_lufs: m.loudnessLufs ?? null,
})

export const ListChainsResponseToRest = (m: trellis_music_v1_music.ListChainsResponse): ListChainsResponseRest => ({
  chains: m.chains.map((item) => ChainToRest(item)),
  next_cursor: m.nextCursor ?? null,
})

export const CreateBranchesResponseToRest = (m: trellis_music_v1_music.CreateBranchesResponse): CreateBranchesResponseRest => ({
  nodes: m.nodes.map((item) => NodeToRest(item)),
})

export const PeaksToRest = (m: trellis_music_v1_music.Peaks): PeaksRest => ({
  points: m.points,
  duration_seconds: m.durationSeconds,
  min: m.min,
  max: m.max,
})

export const GpuModelToRest = (m: trellis_music_v1_music.GpuModel): GpuModelRest => ({
  product: m.product,
  memory_mib: m.memoryMib ?? null,
  total: m.total,
  free: m.free,
  used_by_us: m.usedByUs,
})

export const GeneratorStatusToRest = (m: trellis_music_v1_music.GeneratorStatus): GeneratorStatusRest => ({
  name: m.name,
  available: m.available,
  reason: m.reason ?? null,
  max_seconds: m.maxSeconds,
  sample_rate: m.sampleRate ?? null,
})

export const GpuToRest = (m: trellis_music_v1_music.Gpu): GpuRest => ({
  mode: GpuModeWords[m.mode] ?? null,
  observed_at: m.observedAt,
  classes: m.classes.map((item) => GpuModelToRest(item)),
  queue_depth: m.queueDepth,
  running: m.running,
  estimated_wait_seconds: m.estimatedWaitSeconds ?? null,
  generators: m.generators.map((item) => GeneratorStatusToRest(item)),
  reasons: m.reasons,
})

export const GpuSessionToRest = (m: trellis_music_v1_music.GpuSession): GpuSessionRest => ({
  session_id: m.sessionId,
  status: m.status,
  expires_at: m.expiresAt,
})

export const ListingsFrameToRest = (m: trellis_listings_v1_listings.ListingsFrame): ListingsFrameRest => ({
  type: m.type,
  listings: m.listings.map((item) => ListingToRest(item)),
  trust_scores: mapValues(m.trustScores, (item) => TrustScoreToRest(item)),
  sellers: mapValues(m.sellers, (item) => SellerToRest(item)),
  market_price: m.marketPrice ?? null,
  adapter_used: m.adapterUsed,
  affiliate_active: m.affiliateActive,
  session_id: m.sessionId ?? null,
})

export const MarketPriceFrameToRest = (m: trellis_listings_v1_listings.MarketPriceFrame): MarketPriceFrameRest => ({
  type: m.type,
  market_price: m.marketPrice ?? null,
  sample_count: m.sampleCount,
  quartiles: jsonOf(m.quartiles),
  expires_at: m.expiresAt ?? null,
})

export const ScoreFrameToRest = (m: trellis_listings_v1_listings.ScoreFrame): ScoreFrameRest => ({
  type: m.type,
  platform_listing_id: m.platformListingId,
  trust_score: present(m.trustScore, (item) => TrustScoreToRest(item)),
  seller: present(m.seller, (item) => SellerToRest(item)),
  market_price: m.marketPrice ?? null,
})

export const SearchFailedFrameToRest = (m: trellis_listings_v1_listings.SearchFailedFrame): SearchFailedFrameRest => ({
  type: m.type,
  status: m.status,
  detail: m.detail,
})

export const DoneFrameToRest = (m: trellis_listings_v1_listings.DoneFrame): DoneFrameRest => ({
  ...omitNull('reason', m.reason ?? null),
})

export const GapToRest = (m: trellis_http_v1_messages.Gap): GapRest => ({
  missed: m.missed ?? null,
})

export const ResetToRest = (_: trellis_http_v1_messages.Reset): ResetRest => ({
})

export const BranchesMissingToRest = (m: trellis_logs_v1_logs.BranchesMissing): BranchesMissingRest => ({
  branches: m.branches,
})

export const DiagnoseStatusToRest = (m: trellis_logs_v1_logs.DiagnoseStatus): DiagnoseStatusRest => ({
  stage: m.stage,
  detail: m.detail,
})

export const DiagnoseSummaryToRest = (m: trellis_logs_v1_logs.DiagnoseSummary): DiagnoseSummaryRest => ({
  text: m.text,
  source: m.source,
  by_domain: m.byDomain,
  by_severity: m.bySeverity,
  partial: m.partial,
})

export const DiagnoseEntriesToRest = (m: trellis_logs_v1_logs.DiagnoseEntries): DiagnoseEntriesRest => ({
  entries: m.entries.map((item) => EntryToRest(item)),
  layer: m.layer,
})

export const DiagnoseReasoningToRest = (m: trellis_logs_v1_logs.DiagnoseReasoning): DiagnoseReasoningRest => ({
  text: m.text,
  suspected_causes: m.suspectedCauses.map((item) => SuspectedCauseToRest(item)),
  timeline: m.timeline.map((item) => TimelinePointToRest(item)),
  timeline_left_out: present(m.timelineLeftOut, (item) => TimelineLeftOutToRest(item)),
})

export const DiagnoseFailedToRest = (m: trellis_logs_v1_logs.DiagnoseFailed): DiagnoseFailedRest => ({
  detail: m.detail,
})

export const DiagnoseDoneToRest = (m: trellis_logs_v1_logs.DiagnoseDone): DiagnoseDoneRest => ({
  took_ms: m.tookMs,
})

export const NodeStatusChangedToRest = (m: trellis_music_v1_music.NodeStatusChanged): NodeStatusChangedRest => ({
  node_id: m.nodeId,
  status: NodeStatusWords[m.status] ?? null,
  progress: m.progress,
  decision: DecisionWords[m.decision] ?? null,
  error: m.error ?? null,
})

export const NodeRemovedToRest = (m: trellis_music_v1_music.NodeRemoved): NodeRemovedRest => ({
  node_id: m.nodeId,
})

export const ChainRemovedToRest = (m: trellis_music_v1_music.ChainRemoved): ChainRemovedRest => ({
  chain_id: m.chainId,
})

export const StemsStatusChangedToRest = (m: trellis_music_v1_music.StemsStatusChanged): StemsStatusChangedRest => ({
  node_id: m.nodeId,
  status: m.status,
  progress: m.progress,
  method: m.method ?? null,
  error: m.error ?? null,
})

export const AnswerChallengeRequestFromRest = (j: any): trellis_listings_v1_account_deletion.AnswerChallengeRequest => ({
  challengeCode: j.challenge_code ?? '',
})

export const AccountDeletionParametersFromRest = (j: any): trellis_listings_v1_account_deletion.AccountDeletionParameters => ({
  signature: j.signature ?? undefined,
  ebaySignature: j.ebay_signature ?? undefined,
})

export const GetWebhookHealthRequestFromRest = (_: any): trellis_listings_v1_account_deletion.GetWebhookHealthRequest => ({
})

export const ListAlertsRequestFromRest = (j: any): trellis_listings_v1_alerts.ListAlertsRequest => ({
  includeDismissed: j.include_dismissed ?? false,
  limit: j.limit ?? 50,
  cursor: j.cursor ?? undefined,
})

export const AlertIdFromRest = (j: any): trellis_listings_v1_alerts.AlertId => ({
  id: j.id ?? 0,
})

export const DismissAllAlertsRequestFromRest = (_: any): trellis_listings_v1_alerts.DismissAllAlertsRequest => ({
})

export const SnoozeAlertRequestFromRest = (j: any): trellis_listings_v1_alerts.SnoozeAlertRequest => ({
  id: j.id ?? 0,
  until: j.until ?? '',
})

export const ReadAlertFeedRequestFromRest = (j: any): trellis_listings_v1_alerts.ReadAlertFeedRequest => ({
  token: j.token ?? '',
})

export const GetAlertSettingsRequestFromRest = (_: any): trellis_listings_v1_alerts.GetAlertSettingsRequest => ({
})

export const QuietHoursFromRest = (j: any): trellis_listings_v1_alerts.QuietHours => ({
  start: j.start ?? '',
  end: j.end ?? '',
  timeZone: j.time_zone ?? '',
})

export const AlertWebhookTargetFromRest = (j: any): trellis_listings_v1_alerts.AlertWebhookTarget => ({
  url: j.url ?? '',
  secret: j.secret ?? '',
})

export const AlertEmailTargetFromRest = (j: any): trellis_listings_v1_alerts.AlertEmailTarget => ({
  address: j.address ?? '',
})

export const PutAlertSettingsRequestFromRest = (j: any): trellis_listings_v1_alerts.PutAlertSettingsRequest => ({
  quietHours: j.quiet_hours == null ? null : QuietHoursFromRest(j.quiet_hours),
  webhook: j.webhook == null ? null : AlertWebhookTargetFromRest(j.webhook),
  email: j.email == null ? null : AlertEmailTargetFromRest(j.email),
})

export const ConfirmAlertEmailRequestFromRest = (j: any): trellis_listings_v1_alerts.ConfirmAlertEmailRequest => ({
  code: j.code ?? '',
})

export const RotateAlertFeedRequestFromRest = (_: any): trellis_listings_v1_alerts.RotateAlertFeedRequest => ({
})

export const DeleteAlertFeedRequestFromRest = (_: any): trellis_listings_v1_alerts.DeleteAlertFeedRequest => ({
})

export const ListBlockedSellersRequestFromRest = (_: any): trellis_listings_v1_blocklist.ListBlockedSellersRequest => ({
})

export const BlockSellerRequestFromRest = (j: any): trellis_listings_v1_blocklist.BlockSellerRequest => ({
  platform: j.platform ?? '',
  platformSellerId: j.platform_seller_id ?? '',
  username: j.username ?? '',
  reason: j.reason ?? undefined,
  flags: j.flags ?? [],
})

export const UnblockSellerRequestFromRest = (j: any): trellis_listings_v1_blocklist.UnblockSellerRequest => ({
  platformSellerId: j.platform_seller_id ?? '',
  platform: j.platform ?? undefined,
})

export const ExportBlocklistRequestFromRest = (_: any): trellis_listings_v1_blocklist.ExportBlocklistRequest => ({
})

export const ImportBlocklistParametersFromRest = (_: any): trellis_listings_v1_blocklist.ImportBlocklistParameters => ({
})

export const ListCategoriesRequestFromRest = (_: any): trellis_listings_v1_categories.ListCategoriesRequest => ({
})

export const SendCommunitySignalRequestFromRest = (j: any): trellis_listings_v1_community.SendCommunitySignalRequest => ({
  sellerId: j.seller_id ?? '',
  confirmed: j.confirmed ?? false,
})

export const AddCorrectionRequestFromRest = (j: any): trellis_listings_v1_corrections.AddCorrectionRequest => ({
  itemId: j.item_id ?? '',
  product: j.product ?? '',
  correctionType: j.correction_type ?? '',
  inputText: j.input_text ?? '',
  originalOutput: j.original_output ?? '',
  correctedOutput: j.corrected_output ?? '',
  rating: CorrectionRatingValues[j.rating ?? "down"] ?? 'CORRECTION_RATING_UNSPECIFIED',
  context: textOf(j.context),
  optedIn: j.opted_in ?? false,
})

export const ListCorrectionsRequestFromRest = (j: any): trellis_listings_v1_corrections.ListCorrectionsRequest => ({
  optedInOnly: j.opted_in_only ?? false,
  limit: int32Of(j.limit) ?? 200,
  cursor: j.cursor ?? undefined,
})

export const ExportCorrectionsRequestFromRest = (j: any): trellis_listings_v1_corrections.ExportCorrectionsRequest => ({
  optedInOnly: j.opted_in_only ?? true,
})

export const GetFeedbackStatusRequestFromRest = (_: any): trellis_listings_v1_feedback.GetFeedbackStatusRequest => ({
})

export const SendFeedbackRequestFromRest = (j: any): trellis_listings_v1_feedback.SendFeedbackRequest => ({
  title: j.title ?? '',
  description: j.description ?? '',
  type: FeedbackTypeValues[j.type ?? "other"] ?? 'FEEDBACK_TYPE_UNSPECIFIED',
  repro: j.repro ?? '',
  view: j.view ?? '',
  tab: j.tab ?? '',
  submitter: j.submitter ?? '',
})

export const ListingsSearchRequestFromRest = (j: any): trellis_listings_v1_listings.SearchRequest => ({
  q: j.q ?? '',
  maxPrice: j.max_price ?? undefined,
  minPrice: j.min_price ?? undefined,
  pages: int32Of(j.pages) ?? 1,
  mustInclude: j.must_include ?? '',
  mustIncludeMode: MustIncludeModeValues[j.must_include_mode ?? "all"] ?? 'MUST_INCLUDE_MODE_UNSPECIFIED',
  mustExclude: j.must_exclude ?? '',
  categoryId: j.category_id ?? '',
  adapter: AdapterValues[j.adapter ?? "auto"] ?? 'ADAPTER_UNSPECIFIED',
})

export const WatchUpdatesRequestFromRest = (j: any): trellis_listings_v1_listings.WatchUpdatesRequest => ({
  sessionId: j.session_id ?? '',
  lastEventId: j.last_event_id ?? undefined,
})

export const CancelSearchRequestFromRest = (j: any): trellis_listings_v1_listings.CancelSearchRequest => ({
  sessionId: j.session_id ?? '',
})

export const GetSessionRequestFromRest = (_: any): trellis_listings_v1_listings.GetSessionRequest => ({
})

export const EnrichRequestFromRest = (j: any): trellis_listings_v1_listings.EnrichRequest => ({
  seller: j.seller ?? '',
  listingId: j.listing_id ?? '',
  query: j.query ?? '',
})

export const GetListingRequestFromRest = (j: any): trellis_listings_v1_listings.GetListingRequest => ({
  platformListingId: j.platform_listing_id ?? '',
})

export const GetCompsRequestFromRest = (j: any): trellis_listings_v1_listings.GetCompsRequest => ({
  q: j.q ?? '',
})

export const ListingsGetHealthRequestFromRest = (_: any): trellis_listings_v1_listings.GetHealthRequest => ({
})

export const GetPageDriftRequestFromRest = (_: any): trellis_listings_v1_listings.GetPageDriftRequest => ({
})

export const GetPhotoRequestFromRest = (j: any): trellis_listings_v1_photos.GetPhotoRequest => ({
  platformListingId: j.platform_listing_id ?? '',
  n: j.n ?? 0,
  range: j.range ?? undefined,
})

export const GetPreferencesRequestFromRest = (_: any): trellis_listings_v1_preferences.GetPreferencesRequest => ({
})

export const SetPreferenceRequestFromRest = (j: any): trellis_listings_v1_preferences.SetPreferenceRequest => ({
  path: j.path ?? '',
  value: textOf(j.value),
})

export const BuildSearchRequestFromRest = (j: any): trellis_listings_v1_query_builder.BuildSearchRequest => ({
  naturalLanguage: j.natural_language ?? '',
})

export const ListReportedSellersRequestFromRest = (_: any): trellis_listings_v1_reported.ListReportedSellersRequest => ({
})

export const ReportedSellerFromRest = (j: any): trellis_listings_v1_reported.ReportedSeller => ({
  platformSellerId: j.platform_seller_id ?? '',
  username: j.username ?? undefined,
})

export const ReportSellersRequestFromRest = (j: any): trellis_listings_v1_reported.ReportSellersRequest => ({
  sellers: (j.sellers ?? []).map((item: any) => ReportedSellerFromRest(item)),
})

export const ListSavedSearchesRequestFromRest = (_: any): trellis_listings_v1_saved_searches.ListSavedSearchesRequest => ({
})

export const CreateSavedSearchRequestFromRest = (j: any): trellis_listings_v1_saved_searches.CreateSavedSearchRequest => ({
  name: j.name ?? '',
  query: j.query ?? '',
  filtersJson: j.filters_json ?? "{}",
})

export const SavedSearchIdFromRest = (j: any): trellis_listings_v1_saved_searches.SavedSearchId => ({
  savedId: j.saved_id ?? 0,
})

export const SetMonitorRequestFromRest = (j: any): trellis_listings_v1_saved_searches.SetMonitorRequest => ({
  savedId: j.saved_id ?? 0,
  monitorEnabled: j.monitor_enabled ?? undefined,
  pollIntervalMin: int32Of(j.poll_interval_min) ?? undefined,
  minTrustScore: int32Of(j.min_trust_score) ?? undefined,
})

export const ListBlocklistCandidatesRequestFromRest = (j: any): trellis_logs_v1_blocklist.ListBlocklistCandidatesRequest => ({
  status: j.status ?? '',
  limit: j.limit ?? 500,
})

export const ScanBlocklistRequestFromRest = (_: any): trellis_logs_v1_blocklist.ScanBlocklistRequest => ({
})

export const UpdateBlocklistCandidateRequestFromRest = (j: any): trellis_logs_v1_blocklist.UpdateBlocklistCandidateRequest => ({
  id: j.id ?? '',
  status: j.status ?? '',
})

export const BlocklistCandidateIdFromRest = (j: any): trellis_logs_v1_blocklist.BlocklistCandidateId => ({
  id: j.id ?? '',
})

export const TestBlocklistRequestFromRest = (_: any): trellis_logs_v1_blocklist.TestBlocklistRequest => ({
})

export const UploadParametersFromRest = (j: any): trellis_logs_v1_logs.UploadParameters => ({
  wait: j.wait ?? false,
  sourceId: j.source_id ?? undefined,
  format: j.format ?? undefined,
  year: j.year ?? undefined,
  timezone: j.timezone ?? undefined,
})

export const GetTaskRequestFromRest = (j: any): trellis_logs_v1_logs.GetTaskRequest => ({
  taskId: j.task_id ?? '',
})

export const WatchTaskRequestFromRest = (j: any): trellis_logs_v1_logs.WatchTaskRequest => ({
  taskId: j.task_id ?? '',
  lastEventId: j.last_event_id ?? undefined,
})

export const LogsSearchRequestFromRest = (j: any): trellis_logs_v1_logs.SearchRequest => ({
  q: j.q ?? undefined,
  source: j.source ?? undefined,
  severity: j.severity ?? undefined,
  limit: j.limit ?? 50,
  domain: j.domain ?? undefined,
  semantic: j.semantic ?? undefined,
  since: j.since ?? undefined,
  until: j.until ?? undefined,
  pattern: j.pattern ?? undefined,
  tenant: j.tenant ?? undefined,
  branch: j.branch ?? undefined,
  cursor: j.cursor ?? undefined,
  order: j.order ?? "relevance",
  template: j.template ?? undefined,
  notSource: j.not_source ?? undefined,
  notDomain: j.not_domain ?? undefined,
  notTemplate: j.not_template ?? undefined,
})

export const TailRequestFromRest = (j: any): trellis_logs_v1_logs.TailRequest => ({
  q: j.q ?? undefined,
  source: j.source ?? undefined,
  severity: j.severity ?? undefined,
  domain: j.domain ?? undefined,
  pattern: j.pattern ?? undefined,
  tenant: j.tenant ?? undefined,
  branch: j.branch ?? undefined,
  history: j.history ?? 0,
  lastEventId: j.last_event_id ?? undefined,
  template: j.template ?? undefined,
  notSource: j.not_source ?? undefined,
  notDomain: j.not_domain ?? undefined,
  notTemplate: j.not_template ?? undefined,
})

export const GetContextRequestFromRest = (j: any): trellis_logs_v1_logs.GetContextRequest => ({
  entryId: j.entry_id ?? '',
  before: j.before ?? 20,
  after: j.after ?? 20,
})

export const LanguageModelFromRest = (j: any): trellis_logs_v1_logs.LanguageModel => ({
  baseUrl: j.base_url ?? undefined,
  model: j.model ?? undefined,
  apiKey: j.api_key ?? undefined,
})

export const DiagnoseRequestFromRest = (j: any): trellis_logs_v1_logs.DiagnoseRequest => ({
  query: j.query ?? '',
  sourceFilter: j.source_filter ?? undefined,
  since: j.since ?? undefined,
  until: j.until ?? undefined,
  llm: j.llm == null ? null : LanguageModelFromRest(j.llm),
  timezone: j.timezone ?? undefined,
})

export const ListPatternsRequestFromRest = (_: any): trellis_logs_v1_logs.ListPatternsRequest => ({
})

export const ListSourcesRequestFromRest = (_: any): trellis_logs_v1_logs.ListSourcesRequest => ({
})

export const SuggestSourcesRequestFromRest = (j: any): trellis_logs_v1_logs.SuggestSourcesRequest => ({
  text: j.text ?? '',
})

export const GleanBatchParametersFromRest = (j: any): trellis_logs_v1_logs.GleanBatchParameters => ({
  sourceId: j.source_id ?? undefined,
  contentEncoding: j.content_encoding ?? undefined,
})

export const GetStatsRequestFromRest = (_: any): trellis_logs_v1_logs.GetStatsRequest => ({
})

export const CreateSessionRequestFromRest = (_: any): trellis_logs_v1_logs.CreateSessionRequest => ({
})

export const EndSessionRequestFromRest = (j: any): trellis_logs_v1_logs.EndSessionRequest => ({
  session: j.session ?? undefined,
})

export const GraftRequestFromRest = (j: any): trellis_logs_v1_logs.GraftRequest => ({
  label: j.label ?? '',
  slug: j.slug ?? undefined,
  tenantId: j.tenant_id ?? undefined,
  retentionDays: j.retention_days ?? 30,
  storage: j.storage ?? undefined,
  anonymize: j.anonymize ?? undefined,
})

export const ListBranchesRequestFromRest = (_: any): trellis_logs_v1_logs.ListBranchesRequest => ({
})

export const BranchSlugFromRest = (j: any): trellis_logs_v1_logs.BranchSlug => ({
  slug: j.slug ?? '',
})

export const LogsGetHealthRequestFromRest = (_: any): trellis_logs_v1_logs.GetHealthRequest => ({
})

export const BranchBatchParametersFromRest = (j: any): trellis_logs_v1_logs.BranchBatchParameters => ({
  slug: j.slug ?? '',
  sourceId: j.source_id ?? undefined,
  contentEncoding: j.content_encoding ?? undefined,
})

export const GleanAllRequestFromRest = (j: any): trellis_logs_v1_collect.GleanAllRequest => ({
  force: j.force ?? undefined,
})

export const GleanSourceRequestFromRest = (j: any): trellis_logs_v1_collect.GleanSourceRequest => ({
  sourceId: j.source_id ?? '',
  force: j.force ?? undefined,
})

export const ListConfiguredSourcesRequestFromRest = (_: any): trellis_logs_v1_collect.ListConfiguredSourcesRequest => ({
})

export const GetWatchStatusRequestFromRest = (_: any): trellis_logs_v1_collect.GetWatchStatusRequest => ({
})

export const ReloadWatchRequestFromRest = (_: any): trellis_logs_v1_collect.ReloadWatchRequest => ({
})

export const ListContextDocsRequestFromRest = (j: any): trellis_logs_v1_context.ListContextDocsRequest => ({
  tag: j.tag ?? undefined,
})

export const CreateContextDocRequestFromRest = (j: any): trellis_logs_v1_context.CreateContextDocRequest => ({
  title: j.title ?? '',
  text: j.text ?? '',
  tags: j.tags ?? [],
})

export const UploadContextDocsParametersFromRest = (j: any): trellis_logs_v1_context.UploadContextDocsParameters => ({
  title: j.title ?? undefined,
  tags: j.tags ?? undefined,
})

export const DeleteContextDocsRequestFromRest = (j: any): trellis_logs_v1_context.DeleteContextDocsRequest => ({
  all: j.all ?? false,
})

export const ContextDocIdFromRest = (j: any): trellis_logs_v1_context.ContextDocId => ({
  docId: j.doc_id ?? '',
})

export const ListContextFactsRequestFromRest = (j: any): trellis_logs_v1_context.ListContextFactsRequest => ({
  category: j.category ?? undefined,
  key: j.key ?? undefined,
  source: j.source ?? undefined,
})

export const PutContextFactRequestFromRest = (j: any): trellis_logs_v1_context.PutContextFactRequest => ({
  category: j.category ?? '',
  key: j.key ?? '',
  value: j.value ?? '',
  source: j.source ?? undefined,
})

export const DeleteContextFactsRequestFromRest = (j: any): trellis_logs_v1_context.DeleteContextFactsRequest => ({
  category: j.category ?? undefined,
  source: j.source ?? undefined,
  all: j.all ?? false,
})

export const ContextFactIdFromRest = (j: any): trellis_logs_v1_context.ContextFactId => ({
  factId: j.fact_id ?? '',
})

export const GetContextWizardRequestFromRest = (_: any): trellis_logs_v1_context.GetContextWizardRequest => ({
})

export const AnswerContextWizardRequestFromRest = (j: any): trellis_logs_v1_context.AnswerContextWizardRequest => ({
  step: j.step ?? '',
  answers: textOf(j.answers),
})

export const ApplyContextWizardRequestFromRest = (_: any): trellis_logs_v1_context.ApplyContextWizardRequest => ({
})

export const SearchContextRequestFromRest = (j: any): trellis_logs_v1_context.SearchContextRequest => ({
  q: j.q ?? '',
  limit: j.limit ?? 10,
})

export const DeleteSourceRequestFromRest = (j: any): trellis_logs_v1_entries.DeleteSourceRequest => ({
  sourceId: j.source_id ?? '',
})

export const ChangeEntryRequestFromRest = (j: any): trellis_logs_v1_entries.ChangeEntryRequest => ({
  entryId: j.entry_id ?? '',
  severity: textOf(j.severity),
})

export const VacuumRequestFromRest = (_: any): trellis_logs_v1_entries.VacuumRequest => ({
})

export const ListFormatsRequestFromRest = (_: any): trellis_logs_v1_formats.ListFormatsRequest => ({
})

export const CreateIncidentRequestFromRest = (j: any): trellis_logs_v1_incidents.CreateIncidentRequest => ({
  label: j.label ?? '',
  startedAt: j.started_at ?? undefined,
  endedAt: j.ended_at ?? undefined,
  notes: j.notes ?? undefined,
  severity: j.severity ?? undefined,
  issueType: j.issue_type ?? undefined,
  query: j.query ?? undefined,
  sourceId: j.source_id ?? undefined,
})

export const ListIncidentsRequestFromRest = (j: any): trellis_logs_v1_incidents.ListIncidentsRequest => ({
  status: j.status ?? undefined,
  severity: j.severity ?? undefined,
  issueType: j.issue_type ?? undefined,
  q: j.q ?? undefined,
  since: j.since ?? undefined,
  until: j.until ?? undefined,
  limit: j.limit ?? 50,
  cursor: j.cursor ?? undefined,
})

export const IncidentIdFromRest = (j: any): trellis_logs_v1_incidents.IncidentId => ({
  id: j.id ?? '',
})

export const UpdateIncidentRequestFromRest = (j: any): trellis_logs_v1_incidents.UpdateIncidentRequest => ({
  id: j.id ?? '',
  label: j.label ?? undefined,
  startedAt: j.started_at ?? undefined,
  endedAt: j.ended_at ?? undefined,
  notes: j.notes ?? undefined,
  severity: j.severity ?? undefined,
  issueType: j.issue_type ?? undefined,
  query: j.query ?? undefined,
  sourceId: j.source_id ?? undefined,
  status: j.status ?? undefined,
  updateMask: j.update_mask,
})

export const AttachEntriesRequestFromRest = (j: any): trellis_logs_v1_incidents.AttachEntriesRequest => ({
  id: j.id ?? '',
  entryIds: j.entry_ids ?? [],
})

export const DetachEntryRequestFromRest = (j: any): trellis_logs_v1_incidents.DetachEntryRequest => ({
  id: j.id ?? '',
  entryId: j.entry_id ?? '',
})

export const BundleRequestFromRest = (j: any): trellis_logs_v1_incidents.BundleRequest => ({
  id: j.id ?? '',
  sanitize: j.sanitize ?? undefined,
})

export const ExportTicketRequestFromRest = (j: any): trellis_logs_v1_incidents.ExportTicketRequest => ({
  id: j.id ?? '',
  tracker: j.tracker ?? '',
  label: j.label ?? undefined,
  sanitize: j.sanitize ?? undefined,
  again: j.again ?? undefined,
})

export const ReceiveBundleParametersFromRest = (j: any): trellis_logs_v1_incidents.ReceiveBundleParameters => ({
  idempotencyKey: j.idempotency_key ?? undefined,
})

export const ListBundlesRequestFromRest = (j: any): trellis_logs_v1_incidents.ListBundlesRequest => ({
  issueType: j.issue_type ?? undefined,
  since: j.since ?? undefined,
  until: j.until ?? undefined,
  limit: j.limit ?? 50,
  cursor: j.cursor ?? undefined,
})

export const BundleIdFromRest = (j: any): trellis_logs_v1_incidents.BundleId => ({
  id: j.id ?? '',
})

export const ListSentBundlesRequestFromRest = (j: any): trellis_logs_v1_incidents.ListSentBundlesRequest => ({
  incidentId: j.incident_id ?? undefined,
  limit: j.limit ?? 50,
  cursor: j.cursor ?? undefined,
})

export const NotificationParametersFromRest = (j: any): trellis_logs_v1_media_monitor.NotificationParameters => ({
  notifierToken: j.notifier_token ?? undefined,
  contentType: j.content_type ?? undefined,
})

export const GetScorerStatusRequestFromRest = (_: any): trellis_logs_v1_scoring.GetScorerStatusRequest => ({
})

export const RunScorerRequestFromRest = (j: any): trellis_logs_v1_scoring.RunScorerRequest => ({
  since: j.since ?? undefined,
  until: j.until ?? undefined,
})

export const ListDetectionsRequestFromRest = (j: any): trellis_logs_v1_scoring.ListDetectionsRequest => ({
  scorer: j.scorer ?? '',
  acknowledged: j.acknowledged ?? undefined,
  label: j.label ?? undefined,
  source: j.source ?? undefined,
  limit: j.limit ?? 50,
  cursor: j.cursor ?? undefined,
})

export const AcknowledgeDetectionRequestFromRest = (j: any): trellis_logs_v1_scoring.AcknowledgeDetectionRequest => ({
  id: j.id ?? '',
  notes: j.notes ?? undefined,
})

export const ListCybersecDetectionsRequestFromRest = (j: any): trellis_logs_v1_scoring.ListCybersecDetectionsRequest => ({
  acknowledged: j.acknowledged ?? undefined,
  label: j.label ?? undefined,
  source: j.source ?? undefined,
  limit: j.limit ?? 50,
  cursor: j.cursor ?? undefined,
})

export const GetSettingsRequestFromRest = (_: any): trellis_logs_v1_settings.GetSettingsRequest => ({
})

export const UpdateSettingsRequestFromRest = (j: any): trellis_logs_v1_settings.UpdateSettingsRequest => ({
  llmBaseUrl: j.llm_base_url ?? undefined,
  llmModel: j.llm_model ?? undefined,
  llmApiKey: j.llm_api_key ?? undefined,
  techLevel: j.tech_level ?? undefined,
  dnsFilterUrl: j.dns_filter_url ?? undefined,
  dnsFilterVersion: j.dns_filter_version ?? undefined,
  dnsFilterApiKey: j.dns_filter_api_key ?? undefined,
  dnsFilterCertificate: j.dns_filter_certificate ?? undefined,
  routerSourceIds: j.router_source_ids ?? [],
  deviceNames: j.device_names ?? undefined,
  mediaMonitorToken: j.media_monitor_token ?? undefined,
  notionUrl: j.notion_url ?? undefined,
  notionToken: j.notion_token ?? undefined,
  notionDatabaseId: j.notion_database_id ?? undefined,
  jiraUrl: j.jira_url ?? undefined,
  jiraEmail: j.jira_email ?? undefined,
  jiraToken: j.jira_token ?? undefined,
  jiraProject: j.jira_project ?? undefined,
  jiraIssueType: j.jira_issue_type ?? undefined,
  updateMask: j.update_mask,
})

export const GetSetupStatusRequestFromRest = (_: any): trellis_logs_v1_setup.GetSetupStatusRequest => ({
})

export const DiscoverSourcesRequestFromRest = (_: any): trellis_logs_v1_setup.DiscoverSourcesRequest => ({
})

export const SourceDraftFromRest = (j: any): trellis_logs_v1_setup.SourceDraft => ({
  id: j.id ?? '',
  transport: j.transport ?? undefined,
  gleanType: j.glean_type ?? undefined,
  path: j.path ?? undefined,
  enabled: j.enabled ?? undefined,
  sourceId: j.source_id ?? undefined,
  host: j.host ?? undefined,
  tenantId: j.tenant_id ?? undefined,
  retentionDays: j.retention_days ?? undefined,
  format: j.format ?? undefined,
  timezone: j.timezone ?? undefined,
  multiline: j.multiline ?? undefined,
  include: j.include ?? [],
  exclude: j.exclude ?? [],
  recursive: j.recursive ?? undefined,
  units: j.units ?? [],
  containers: j.containers ?? [],
  socket: j.socket ?? undefined,
  sshTarget: j.ssh_target ?? undefined,
  port: j.port ?? undefined,
  user: j.user ?? undefined,
  keyPath: j.key_path ?? undefined,
  remotePath: j.remote_path ?? undefined,
})

export const WriteSourcesRequestFromRest = (j: any): trellis_logs_v1_setup.WriteSourcesRequest => ({
  sources: (j.sources ?? []).map((item: any) => SourceDraftFromRest(item)),
})

export const InterpretSourceRequestFromRest = (j: any): trellis_logs_v1_setup.InterpretSourceRequest => ({
  text: j.text ?? '',
})

export const ScanFilesRequestFromRest = (j: any): trellis_logs_v1_setup.ScanFilesRequest => ({
  query: j.query ?? undefined,
  maxResults: j.max_results ?? 20,
})

export const ListSshTargetsRequestFromRest = (_: any): trellis_logs_v1_ssh_targets.ListSshTargetsRequest => ({
})

export const CreateSshTargetRequestFromRest = (j: any): trellis_logs_v1_ssh_targets.CreateSshTargetRequest => ({
  label: j.label ?? '',
  host: j.host ?? '',
  port: j.port ?? 22,
  user: j.user ?? '',
  keyPath: j.key_path ?? '',
})

export const UpdateSshTargetRequestFromRest = (j: any): trellis_logs_v1_ssh_targets.UpdateSshTargetRequest => ({
  id: j.id ?? '',
  label: j.label ?? undefined,
  host: j.host ?? undefined,
  port: j.port ?? undefined,
  user: j.user ?? undefined,
  keyPath: j.key_path ?? undefined,
})

export const SshTargetIdFromRest = (j: any): trellis_logs_v1_ssh_targets.SshTargetId => ({
  id: j.id ?? '',
})

export const TestSshTargetRequestFromRest = (j: any): trellis_logs_v1_ssh_targets.TestSshTargetRequest => ({
  id: j.id ?? '',
  acceptHostKey: j.accept_host_key ?? undefined,
})

export const ListTemplatesRequestFromRest = (j: any): trellis_logs_v1_templates.ListTemplatesRequest => ({
  source: j.source ?? undefined,
  since: j.since ?? undefined,
  until: j.until ?? undefined,
  severity: j.severity ?? undefined,
  q: j.q ?? undefined,
  trend: j.trend ?? '',
  order: j.order ?? "last_seen",
  limit: j.limit ?? 50,
  cursor: j.cursor ?? undefined,
  domain: j.domain ?? undefined,
  tenant: j.tenant ?? undefined,
  branch: j.branch ?? undefined,
})

export const GetTemplateRequestFromRest = (j: any): trellis_logs_v1_templates.GetTemplateRequest => ({
  templateId: j.template_id ?? '',
})

export const CreateChainParametersFromRest = (j: any): trellis_music_v1_music.CreateChainParameters => ({
  name: j.name ?? '',
})

export const ListChainsRequestFromRest = (j: any): trellis_music_v1_music.ListChainsRequest => ({
  limit: j.limit ?? 20,
  cursor: j.cursor ?? undefined,
})

export const GetChainRequestFromRest = (j: any): trellis_music_v1_music.GetChainRequest => ({
  chainId: j.chain_id ?? '',
})

export const UpdateChainRequestFromRest = (j: any): trellis_music_v1_music.UpdateChainRequest => ({
  chainId: j.chain_id ?? '',
  name: j.name ?? undefined,
  updateMask: j.update_mask,
})

export const DeleteChainRequestFromRest = (j: any): trellis_music_v1_music.DeleteChainRequest => ({
  chainId: j.chain_id ?? '',
})

export const CreateBranchesRequestFromRest = (j: any): trellis_music_v1_music.CreateBranchesRequest => ({
  chainId: j.chain_id ?? '',
  nodeId: j.node_id ?? '',
  prompt: j.prompt ?? '',
  durationSeconds: j.duration_seconds ?? 10,
  seed: j.seed ?? undefined,
  contextSeconds: j.context_seconds ?? undefined,
  takes: j.takes ?? 1,
  generator: GeneratorValues[j.generator ?? "auto"] ?? 'GENERATOR_UNSPECIFIED',
})

export const RetryNodeRequestFromRest = (j: any): trellis_music_v1_music.RetryNodeRequest => ({
  chainId: j.chain_id ?? '',
  nodeId: j.node_id ?? '',
})

export const DeleteNodeRequestFromRest = (j: any): trellis_music_v1_music.DeleteNodeRequest => ({
  chainId: j.chain_id ?? '',
  nodeId: j.node_id ?? '',
})

export const CommitNodeRequestFromRest = (j: any): trellis_music_v1_music.CommitNodeRequest => ({
  chainId: j.chain_id ?? '',
  nodeId: j.node_id ?? '',
})

export const DiscardNodeRequestFromRest = (j: any): trellis_music_v1_music.DiscardNodeRequest => ({
  chainId: j.chain_id ?? '',
  nodeId: j.node_id ?? '',
})

export const GetNodeAudioRequestFromRest = (j: any): trellis_music_v1_music.GetNodeAudioRequest => ({
  chainId: j.chain_id ?? '',
  nodeId: j.node_id ?? '',
  format: AudioFormatValues[j.format ?? "wav"] ?? 'AUDIO_FORMAT_UNSPECIFIED',
  range: j.range ?? undefined,
})

export const GetNodePeaksRequestFromRest = (j: any): trellis_music_v1_music.GetNodePeaksRequest => ({
  chainId: j.chain_id ?? '',
  nodeId: j.node_id ?? '',
  points: j.points ?? 1000,
})

export const GetNodeSpectrogramRequestFromRest = (j: any): trellis_music_v1_music.GetNodeSpectrogramRequest => ({
  chainId: j.chain_id ?? '',
  nodeId: j.node_id ?? '',
  start: j.start ?? 0,
  end: j.end ?? undefined,
  width: j.width ?? 800,
  height: j.height ?? 128,
})

export const CreateStemsRequestFromRest = (j: any): trellis_music_v1_music.CreateStemsRequest => ({
  chainId: j.chain_id ?? '',
  nodeId: j.node_id ?? '',
})

export const GetStemsRequestFromRest = (j: any): trellis_music_v1_music.GetStemsRequest => ({
  chainId: j.chain_id ?? '',
  nodeId: j.node_id ?? '',
})

export const DeleteStemsRequestFromRest = (j: any): trellis_music_v1_music.DeleteStemsRequest => ({
  chainId: j.chain_id ?? '',
  nodeId: j.node_id ?? '',
})

export const GetStemAudioRequestFromRest = (j: any): trellis_music_v1_music.GetStemAudioRequest => ({
  chainId: j.chain_id ?? '',
  nodeId: j.node_id ?? '',
  name: j.name ?? '',
  format: AudioFormatValues[j.format ?? "wav"] ?? 'AUDIO_FORMAT_UNSPECIFIED',
  range: j.range ?? undefined,
})

export const ExportChainRequestFromRest = (j: any): trellis_music_v1_music.ExportChainRequest => ({
  chainId: j.chain_id ?? '',
  format: AudioFormatValues[j.format ?? "wav"] ?? 'AUDIO_FORMAT_UNSPECIFIED',
  crossfadeMs: j.crossfade_ms ?? 0,
  normalize: j.normalize ?? undefined,
  range: j.range ?? undefined,
})

export const StreamChainEventsRequestFromRest = (j: any): trellis_music_v1_music.StreamChainEventsRequest => ({
  chainId: j.chain_id ?? '',
  lastEventId: j.last_event_id ?? undefined,
})

export const GetGpuRequestFromRest = (_: any): trellis_music_v1_music.GetGpuRequest => ({
})

export const CreateGpuSessionRequestFromRest = (_: any): trellis_music_v1_music.CreateGpuSessionRequest => ({
})

export const RenewGpuSessionRequestFromRest = (j: any): trellis_music_v1_music.RenewGpuSessionRequest => ({
  sessionId: j.session_id ?? '',
})

export const DeleteGpuSessionRequestFromRest = (j: any): trellis_music_v1_music.DeleteGpuSessionRequest => ({
  sessionId: j.session_id ?? '',
})

export const GetMusicHealthRequestFromRest = (_: any): trellis_music_v1_music.GetMusicHealthRequest => ({
})

