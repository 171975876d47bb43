// Generated from the protos by protoc-gen-edge. Do not edit: change the proto and run `npm run generate`.
// biome-ignore-all lint: generated

export type AlertKindWord = 'new_match' | 'price_drop' | 'price_rise'

export type NodeStatusWord = 'generating' | 'ready' | 'error'

export type DecisionWord = 'undecided' | 'committed' | 'discarded'

export type NodeKindWord = 'upload' | 'continuation'

export type GeneratorWord = 'auto' | 'recombine' | 'onnx' | 'mock'

export type GpuModeWord = 'kubernetes' | 'local' | 'none'

/** Whether the output was right. */
export type CorrectionRatingWord = 'up' | 'down'

/** What the feedback is. */
export type FeedbackTypeWord = 'bug' | 'feature' | 'other'

/** How `must_include` is interpreted. */
export type MustIncludeModeWord = 'all' | 'any' | 'groups'

/** How the marketplace is accessed. */
export type AdapterWord = 'auto' | 'api' | 'scraper'

export type AudioFormatWord = 'wav' | 'mp3' | 'flac'

export type AnswerChallengeResponseRest = {
  /** SHA-256 in hexadecimal. The marketplace determines the name of this field. */
  challengeResponse: string
}

export type AccountDeletionResponseRest = {
}

export type GetWebhookHealthResponseRest = {
  status: string
  /** The configured URL of the endpoint. */
  endpoint: string
  /** Whether signatures of notifications are verified. */
  signature_verification: boolean
}

export type AlertRest = {
  id: number
  kind: AlertKindWord | null
  /** The saved search whose monitor found the listing; it may have been deleted. */
  saved_search_id: number
  saved_search_name: string
  platform: string
  platform_listing_id: string
  title: string
  url: string
  photo_url: string | null
  seller_platform_id: string
  /** Null if it could not be read. */
  price: number | null
  /** ISO 4217. */
  currency: string
  /** The price at the alert before; null for a new match. */
  price_before: number | null
  /** fixed_price, auction or best_offer. */
  buying_format: string
  /** When an auction ends. */
  ends_at: string | null
  /** The trust score when the alert was made, 0 to 100. */
  composite_score: number
  score_is_partial: boolean
  created_at: string
  dismissed_at: string | null
  snoozed_until: string | null
}

export type ListAlertsResponseRest = {
  alerts: AlertRest[]
  /** Alerts that are neither dismissed nor snoozed. */
  unread_count: number
  /** Null on the last page. */
  next_cursor: string | null
}

export type DismissAllAlertsResponseRest = {
  /** Number of alerts that were dismissed. */
  dismissed: number
}

/** A daily span of local time in which nothing is sent; what accumulates is sent together at its end. */
export type QuietHoursRest = {
  /** HH:MM */
  start: string
  /** HH:MM; before `start` for a span over midnight. */
  end: string
  /** An IANA time zone. */
  time_zone: string
}

/** Sends alerts to an address of the user, as POST requests that are signed and repeated as standardwebhooks.com specifies: the headers `webhook-id`
 * (the same for each attempt), `webhook-timestamp` and `webhook-signature`. */
export type AlertWebhookRest = {
  url: string
  /** Always `***`. */
  secret: string
  /** When alerts were last delivered. */
  delivered_at: string | null
  /** Why the last attempt failed; null if it succeeded. */
  last_error: string | null
}

export type AlertEmailRest = {
  address: string
  /** Whether the address receives alerts: it was confirmed, or needs no confirmation here. */
  confirmed: boolean
  delivered_at: string | null
  last_error: string | null
}

export type AlertSettingsRest = {
  /** Null: alerts are sent at any time. */
  quiet_hours: QuietHoursRest | null
  webhook: AlertWebhookRest | null
  email: AlertEmailRest | null
  /** Whether this installation sends mail. */
  email_available: boolean
  /** Whether the caller's feed has an address. */
  feed_enabled: boolean
}

export type AlertFeedAddressRest = {
  /** The whole address, with the token. */
  url: string
  token: string
}

export type BlockedSellerRest = {
  id: number
  platform: string
  /** The marketplace's id of the seller. */
  platform_seller_id: string
  username: string
  reason: string | null
  /** manual or csv_import. community is reserved for entries from other installations: sellers that a user adds here are published to them, but none are
   * taken over. */
  source: string
  created_at: string
}

export type ListBlockedSellersResponseRest = {
  entries: BlockedSellerRest[]
}

export type ImportBlocklistResponseRest = {
  imported: number
  /** Rows that were skipped, at most 1,000 of them. */
  errors: string[]
}

export type CategoryRest = {
  /** The marketplace's id, for `category_id` of a search. */
  category_id: string
  name: string
  /** The names from the root to this category, joined by " > ". */
  full_path: string
  /** Whether it has no categories below it. */
  is_leaf: boolean
}

export type ListCategoriesResponseRest = {
  categories: CategoryRest[]
  /** When the list was last read; null before the first time. */
  refreshed_at: string | null
}

export type AddCorrectionResponseRest = {
  id: number
  saved: boolean
}

export type CorrectionRest = {
  id: number
  item_id: string
  product: string
  correction_type: string
  input_text: string
  original_output: string
  corrected_output: string
  /** up or down. */
  rating: string
  context: unknown
  opted_in: boolean
  created_at: string
}

export type ListCorrectionsResponseRest = {
  corrections: CorrectionRest[]
  next_cursor: string | null
}

export type GetFeedbackStatusResponseRest = {
  enabled: boolean
}

export type SendFeedbackResponseRest = {
  issue_number: number
  issue_url: string
}

export type ListingRest = {
  platform: string
  /** The marketplace's id. */
  platform_listing_id: string
  title: string
  /** Price, or the lower end of a price range; null if it could not be read. */
  price: number | null
  /** Upper end of a price range, for example of a listing with variants; equals the price if the marketplace shows one end only ("From $50"). */
  price_high: number | null
  /** ISO 4217. */
  currency: string
  /** The marketplace's wording, in lower case. */
  condition: string
  seller_platform_id: string
  url: string
  photo_urls: string[]
  listing_age_days: number
  /** fixed_price, auction or best_offer. */
  buying_format: string
  ends_at: string | null
  bid_count: number | null
  /** Null until the listing is stored. */
  id: number | null
  fetched_at: string | null
  trust_score_id: number | null
  category_name: string | null
  first_seen_at: string | null
  last_seen_at: string | null
  /** Number of searches in which the listing was seen. */
  times_seen: number
  price_at_first_seen: number | null
}

/** 0 to 20 each; null if there is no data to judge by. */
export type SignalScoresRest = {
  account_age: number | null
  feedback_count: number | null
  feedback_ratio: number | null
  price_vs_market: number | null
  category_history: number | null
}

export type ScoreRangeRest = {
  low: number
  high: number
}

/** A sentence of evidence for a signal or a flag. */
export type EvidenceRest = {
  signal: string
  text: string
  source: string
  as_of: string | null
}

/** A condition that would raise a score, such as more feedback. */
export type ImprovementRest = {
  /** The signal that it concerns, or established_bad_actor for a seller on the blocklist. */
  signal: string
  text: string
  /** The composite score once the condition is met. */
  composite_score: number
}

export type TrustScoreRest = {
  id: number | null
  listing_id: number | null
  /** 0 to 100. */
  composite_score: number
  signal_scores: SignalScoresRest | null
  /** new_account, established_bad_actor. */
  hard_filters: string[]
  /** low_feedback, zero_feedback, account_under_30_days, suspicious_price, duplicate_photo, scratch_dent, long_on_market, significant_price_drop. */
  soft_flags: string[]
  /** Whether any signal is missing. */
  score_is_partial: boolean
  /** The score with the missing signals at their worst and at their best. */
  score_range: ScoreRangeRest | null
  evidence: EvidenceRest[]
  /** Whether another listing of the same search has the same first photo. */
  photo_hash_duplicate: boolean
  photo_analysis_json: string | null
  scored_at: string
  /** What would raise the score, the largest gain first. */
  improvements: ImprovementRest[]
}

export type SellerRest = {
  id: number | null
  platform: string
  platform_seller_id: string
  username: string
  /** Minimum age of the account in days: the marketplace shows only the month in which it was opened. */
  account_age_days: number | null
  feedback_count: number | null
  /** 0 to 1. */
  feedback_ratio: number | null
  /** JSON text: listings by category; `{}` if unknown. */
  category_history_json: string
  fetched_at: string | null
}

export type ListingsSearchResponseRest = {
  listings: ListingRest[]
  /** By platform_listing_id. */
  trust_scores: Record<string, TrustScoreRest>
  /** By seller_platform_id. */
  sellers: Record<string, SellerRest>
  /** Median of completed sales; null if there are too few. */
  market_price: number | null
  /** The adapter that was used: api or scraper. */
  adapter_used: string
  /** Whether the installation wraps links for an affiliate campaign. */
  affiliate_active: boolean
  /** Session whose update stream carries later updates. */
  session_id: string | null
}

export type SearchAsyncResponseRest = {
  session_id: string
  status: string
}

/** What the caller's tier allows. */
export type FeaturesRest = {
  saved_searches: boolean
  /** Null: unlimited. */
  saved_searches_limit: number | null
  background_monitoring: boolean
  max_pages: number
  upc_search: boolean
  photo_analysis: boolean
  shared_scammer_db: boolean
  shared_image_db: boolean
  llm_query_builder: boolean
}

/** Calls to the marketplace's API, and its daily quota. */
export type ApiUseRest = {
  /** Calls that this installation has sent since midnight UTC. */
  calls_today: number
  /** Calls that the API allows in a day, and those left; null until they were read. */
  call_limit: number | null
  remaining: number | null
  resets_at: string | null
  /** When the API's figures were read. */
  read_at: string | null
}

export type GetSessionResponseRest = {
  user_id: string
  tier: string
  features: FeaturesRest | null
  /** Use of the marketplace's API; only for users with an account, where the API is configured. */
  api_use?: ApiUseRest | null
}

export type EnrichResponseRest = {
  trust_score: TrustScoreRest | null
  seller: SellerRest | null
}

export type PricePointRest = {
  price: number | null
  currency: string
  captured_at: string
}

export type GetListingResponseRest = {
  listing: ListingRest | null
  trust_score: TrustScoreRest | null
  seller: SellerRest | null
  /** One entry per price change, oldest first. */
  price_history: PricePointRest[]
  /** Times at which the listing was seen, oldest first; the latest 100. */
  sightings: string[]
}

/** Contains the median of all sales with at least the probability `level`, whatever the distribution of their prices. */
export type MedianIntervalRest = {
  low: number
  high: number
  /** 0 to 1. */
  level: number
}

export type StratumPriceRest = {
  /** new, used, for_parts or lot. */
  condition: string
  /** Null with fewer than three sales. */
  median_price: number | null
  sample_count: number
  interval: MedianIntervalRest | null
}

export type HistoryBandRest = {
  days: number
  /** Median of the daily market prices. */
  median_price: number | null
  lowest: number | null
  highest: number | null
  /** Number of days on which the price was looked up. */
  snapshots: number
  /** Whether the history is as long as the window. */
  is_covered: boolean
}

/** The market price on the days on which it was looked up. */
export type CompHistoryRest = {
  /** The first of these days within 180 days; null without any. */
  first_on: string | null
  /** The last 30, 90 and 180 days. */
  bands: HistoryBandRest[]
  /** Up to this price an offer is a good deal; null if that cannot be judged. */
  deal_below: number | null
  /** Why a good deal cannot be judged; null if it can. */
  deal_unknown: string | null
}

export type GetCompsResponseRest = {
  query: string
  median_price: number | null
  currency: string | null
  /** Completed sales behind the median, outliers trimmed. */
  sample_count: number
  /** [q1, q3] of completed sales; null without a median. */
  quartiles: unknown
  /** When the price expires and is looked up again. */
  expires_at: string | null
  /** Where the median of all sales lies, with its probability; null with too few sales. */
  interval: MedianIntervalRest | null
  /** high, medium, low or none: the size of the sample, the width of the interval, and whether the sales have one price. */
  confidence: string
  /** The medians of two groups of prices, if the sales have no single price; otherwise empty. */
  modes: number[]
  /** Median weighted by age: a sale counts half after 30 days. */
  recent_median: number | null
  /** Prices by condition. Broken items and lots do not count for the median, unless the query names them. */
  strata: StratumPriceRest[]
  /** Sales that do not count for the median, by reason: other_model, other_words, excluded_words, accessory, part, incomplete, other_thing,
   * for_parts, lot, other_currency, outlier. */
  excluded: Record<string, number>
  history: CompHistoryRest | null
}

/** Response of a health check. */
export type HealthRest = {
  status: string
}

/** A field that is found on less than half as many pages as usual. */
export type DriftingFieldRest = {
  /** search, sold, item or seller. */
  page: string
  field: string
  /** Share of pages on which it was found: lately, and usually. */
  recent: number
  baseline: number
}

export type PageDriftRest = {
  fields: DriftingFieldRest[]
}

/** Campaigns of the user's own, by marketplace. */
export type CampaignPreferencesRest = {
  marketplace?: string | null
}

export type AffiliatePreferencesRest = {
  /** Whether the links of this user carry no campaign. */
  opt_out?: boolean | null
  byok_ids?: CampaignPreferencesRest | null
}

export type CommunityPreferencesRest = {
  /** Whether sellers that this user adds to the blocklist are published to the community; default false. */
  blocklist_share?: boolean | null
}

export type DisplayPreferencesRest = {
  /** ISO 4217 code of the currency that prices are converted to for display. */
  currency?: string | null
  /** system, light or dark. */
  theme?: string | null
}

export type SearchPreferencesRest = {
  /** JSON text of an object: the filters that a new search starts with. */
  defaults?: string | null
}

/** Preferences that are not set are absent. */
export type PreferencesRest = {
  affiliate?: AffiliatePreferencesRest | null
  community?: CommunityPreferencesRest | null
  display?: DisplayPreferencesRest | null
  search?: SearchPreferencesRest | null
}

export type BuildSearchResponseRest = {
  /** The search text. */
  base_query: string
  /** all, any or groups. */
  must_include_mode: string
  /** Comma-separated. */
  must_include: string
  /** Comma-separated. */
  must_exclude: string
  max_price: number | null
  min_price: number | null
  /** new, used, for_parts; empty if the description names none. */
  condition: string[]
  /** The marketplace's id of a category; null if none fits. */
  category_id: string | null
  /** What was understood, in one sentence. */
  explanation: string
}

export type ListReportedSellersResponseRest = {
  /** The marketplace's ids of the sellers. */
  reported: string[]
}

export type SavedSearchRest = {
  id: number
  name: string
  query: string
  /** The configured marketplace. */
  platform: string
  /** JSON text of an object: the parameters of the search besides `q`, under their names. */
  filters_json: string
  created_at: string
  /** When the user last ran it; null before the first time. Runs of the monitor do not count. */
  last_run_at: string | null
  monitor_enabled: boolean
  /** Minutes between two runs of the monitor. */
  poll_interval_min: number
  /** The monitor alerts to listings with at least this score, and to those whose score is partial with at least ten more. */
  min_trust_score: number
  /** When the monitor last ran. */
  last_checked_at: string | null
  /** Why the last run of the monitor failed, as a sentence; null if it succeeded. After failures of the marketplace it runs less often; after a failure
   * of this installation it is repeated within minutes, then with growing pauses up to its interval. */
  last_error: string | null
  /** When the monitor runs next, at the earliest; null if it is switched off. */
  next_check_at: string | null
}

export type ListSavedSearchesResponseRest = {
  saved_searches: SavedSearchRest[]
}

export type RunSavedSearchResponseRest = {
  ok: boolean
}

/** A domain that may be worth blocking. */
export type BlocklistCandidateRest = {
  id: string
  domain: string
  /** candidate, approved, ignored, blocked, unblocked or push_failed. */
  status: string
  /** Number of requests for the domain in the entries scanned so far. */
  count: number
  first_seen: string
  last_seen: string
  source_ids: string[]
  /** Device with the most requests: its name in `device_names`, otherwise its address; null if no entry names one. */
  device: string | null
  /** The DNS filter's message at its last failure. */
  last_error: string | null
  /** Devices that requested the domain, most requests first, at most 20. */
  devices: string[]
  /** 0 to 100: the sum of the points of its signs. */
  score: number
  /** Signs in favour of blocking the domain, as text with their points. */
  reasons: string[]
}

export type ListBlocklistCandidatesResponseRest = {
  candidates: BlocklistCandidateRest[]
  /** Number of all candidates with this status, listed or not. */
  total: number
}

export type BlocklistScanRest = {
  entries_read: number
  /** Domains found in these entries; `new_candidates` counts those that were unknown before. */
  domains: number
  new_candidates: number
  is_complete: boolean
}

export type BlocklistTestRest = {
  ok: boolean
  /** What the filter answered, as a sentence. */
  detail: string
}

export type TaskProgressRest = {
  done: number
  /** Null while unknown. */
  total: number | null
  unit: string
}

/** Counts of lines that are not blank; the other four add up to `lines`. */
export type UploadCountsRest = {
  lines: number
  entries: number
  duplicates: number
  rejected: number
  /** Lines that continue the entry of an earlier line. */
  multiline_joined: number
}

/** A file that was not read, or not completely, and why. */
export type SkippedFileRest = {
  name: string
  reason: string
}

/** Released disk space. `entries` counts deleted and expired entries that were still on disk. */
export type FreedRoomRest = {
  entries: number
  bytes: number
  files: number
}

/** A long-running operation. */
export type TaskRest = {
  task_id: string
  kind: string
  /** queued, running, done or failed. */
  status: string
  progress: TaskProgressRest | null
  counts: UploadCountsRest | null
  /** Number of lines by the format that they were parsed as. */
  formats: Record<string, number>
  error: string | null
  started_at: string | null
  finished_at: string | null
  /** Files in archives that were not read, or not completely; the first 100. */
  skipped: SkippedFileRest[]
  /** Number of all such files. */
  skipped_count: number
  /** Released disk space; only for a `vacuum`. */
  freed: FreedRoomRest | null
}

/** A matching entry with its score and highlights. */
export type FoundEntryRest = {
  entry_id: string
  source_id: string
  branch: string | null
  sequence: number
  timestamp_iso: string | null
  timestamp_raw: string | null
  ingest_time: string
  severity: string | null
  repeat_count: number
  format: string
  text: string
  message: string
  fields: unknown
  truncated: boolean
  matched_patterns: string[]
  template_id: string | null
  out_of_order: boolean
  anomaly_score: number | null
  anomaly_label: string | null
  anomaly_scored_at: string | null
  ml_score: number | null
  ml_label: string | null
  ml_scored_at: string | null
  tenant_id: string
  anonymized: boolean
  score: number
  /** Pairs of start and end offsets in `text`, in UTF-16 units. */
  highlights: unknown
}

export type FacetValueRest = {
  value: string | null
  count: number
}

export type FacetsRest = {
  severity: FacetValueRest[]
  source: FacetValueRest[]
  domain: FacetValueRest[]
}

/** Matches over time; null if there are none. */
export type HistogramRest = {
  start: string
  bucket_seconds: number
  counts: number[]
  /** Matches with times more than a day in the future, as from a wrong clock. They are in `total` but in no bucket, unless there are no others or
   * `until` is set. */
  later: number
  /** Matches with times before 1971, as from a clock that was never set, and a few matches that are years older than nearly all others. They are in
   * `total` but in no bucket, unless there are no others or `since` is set: `since=1900-01-01` shows them. */
  earlier: number
  /** Counts per bucket by severity, of those that occur: `{"ERROR": [0, 3, 1]}`; `none` counts entries without a severity. */
  by_severity: unknown
}

export type LogsSearchResponseRest = {
  entries: FoundEntryRest[]
  total: number
  /** False if total, facets and histogram are estimates: for phrases with very many candidates. */
  total_is_exact: boolean
  took_ms: number
  /** bm25 or hybrid. */
  mode: string
  semantic_fallback: string | null
  facets: FacetsRest | null
  histogram: HistogramRest | null
  next_cursor: string | null
}

/** A stored entry. Times are ISO 8601 in UTC. */
export type EntryRest = {
  entry_id: string
  source_id: string
  branch: string | null
  /** Number of its first line in its file, or the sender's value. */
  sequence: number
  timestamp_iso: string | null
  timestamp_raw: string | null
  ingest_time: string
  severity: string | null
  repeat_count: number
  format: string
  /** The whole entry as read, lines joined by line feeds. */
  text: string
  /** The text after the parsed header. */
  message: string
  /** Fields that the format defines, or null. */
  fields: unknown
  /** Whether the text was truncated at 1 MiB. */
  truncated: boolean
  matched_patterns: string[]
  template_id: string | null
  /** Whether its time is earlier than that of the preceding entry in its file. */
  out_of_order: boolean
  /** Result of the anomaly scorer, as in its detections. Null if it found nothing or has not examined the entry yet; `unscored` in
   * `/logs/api/anomaly/status` distinguishes the two. */
  anomaly_score: number | null
  anomaly_label: string | null
  anomaly_scored_at: string | null
  /** The same for the security scorer: see `/logs/api/cybersec/status`. */
  ml_score: number | null
  ml_label: string | null
  ml_scored_at: string | null
  tenant_id: string
  anonymized: boolean
}

export type GetContextResponseRest = {
  entries: EntryRest[]
}

export type WindowRest = {
  start: string | null
  end: string | null
  /** given, query or default. */
  source: string
}

export type SummaryRest = {
  text: string
  /** llm or rules. */
  source: string
  by_domain: Record<string, number>
  by_severity: Record<string, number>
  by_source: Record<string, number>
}

export type TimelinePointRest = {
  time: string
  count: number
  errors: number
}

export type TemplateCountRest = {
  template_id: string
  template: string
  count: number
}

export type FactRest = {
  category: string
  key: string
  value: string
}

export type SuspectedCauseRest = {
  title: string
  /** 0 to 1. */
  confidence: number
  /** Ids of the entries that support it. */
  evidence: string[]
}

/** As `earlier` and `later` of a search's histogram. */
export type TimelineLeftOutRest = {
  earlier: number
  later: number
}

export type DiagnosisRest = {
  query: string
  window: WindowRest | null
  keywords: string[]
  summary: SummaryRest | null
  timeline: TimelinePointRest[]
  entries: EntryRest[]
  templates: TemplateCountRest[]
  facts: FactRest[]
  reasoning: string
  suspected_causes: SuspectedCauseRest[]
  took_ms: number
  /** Entries that the timeline omits because their times are far from all others; null if there is no timeline. */
  timeline_left_out: TimelineLeftOutRest | null
}

export type PatternRest = {
  tag: string
  domain: string
  /** Severity of a match if the line itself states no level. */
  severity: string | null
  description: string
  /** `built_in`, `changed` (built in, with a severity that a file overrides) or `user`. */
  source: string
  /** The file that defines or changes it. */
  file: string | null
}

export type PatternProblemRest = {
  file: string
  problem: string
}

export type ListPatternsResponseRest = {
  patterns: PatternRest[]
  /** Errors in the files of `SERVICE_PATTERNS_DIR`; everything else in them is in use. */
  problems: PatternProblemRest[]
}

export type SourceRest = {
  source_id: string
  entry_count: number
  /** CRITICAL and ERROR. */
  error_count: number
  first_seen: string | null
  last_seen: string | null
  /** Number of sources under this stem. */
  unit_count: number
}

export type ListSourcesResponseRest = {
  sources: SourceRest[]
}

export type SuggestedSourceRest = {
  source_id: string
  /** 0 to 1. */
  score: number
  reason: string
}

export type SuggestSourcesResponseRest = {
  sources: SuggestedSourceRest[]
  untracked_names: string[]
}

export type RejectedEntryRest = {
  /** Index in the batch, from 0. */
  index: number
  reason: string
}

export type GleanBatchResponseRest = {
  accepted: number
  duplicates: number
  rejected: RejectedEntryRest[]
}

export type SourceHealthRest = {
  source_id: string
  /** healthy, degraded (errors in the window) or silent (nothing in the window). */
  status: string
  entry_count: number
  error_count: number
  last_seen: string | null
}

export type StatsRest = {
  window_hours: number
  critical_count: number
  error_count: number
  warn_count: number
  sources: SourceHealthRest[]
  recent_criticals: EntryRest[]
}

export type GraftRest = {
  slug: string
  port: number
  /** active or inactive. */
  state: string
  /** URL for batches. */
  submit_endpoint: string
  /** Key to send with each batch as `Authorization: Bearer`. It is stored hashed and not returned again. */
  api_key: string
}

export type OrchardBranchRest = {
  slug: string
  label: string
  port: number
  /** active or inactive. */
  state: string
  submit_endpoint: string
  data_dir: string
  /** As last reported by the branch; null before its first report. */
  entry_count: number | null
  /** When its last entry arrived. */
  last_seen: string | null
  created_at: string
}

export type ListBranchesResponseRest = {
  branches: OrchardBranchRest[]
}

/** What was changed; each address and user name is counted once. */
export type AnonymizationRest = {
  entries_changed: number
  addresses: number
  usernames: number
}

export type ConfiguredSourceRest = {
  /** Id in the configuration; requests to collect use it. */
  id: string
  /** Source id of its entries; the source ids of its units begin with it. */
  source_id: string
  /** local or ssh. */
  transport: string
  /** file, journald, docker or podman; over SSH journald, syslog, plaintext or docker. */
  glean_type: string
  host: string
  path: string | null
  enabled: boolean
  entry_count: number
  /** CRITICAL and ERROR. */
  error_count: number
  first_seen: string | null
  last_seen: string | null
  /** Number of source ids that its entries have. */
  unit_count: number
  /** When it was last collected. */
  last_glean: string | null
  /** Error of that collection; null if it succeeded. */
  last_error: string | null
}

export type ListConfiguredSourcesResponseRest = {
  sources: ConfiguredSourceRest[]
  /** Errors in the sources file, each with its position; a source with an error is not collected. */
  problems: string[]
}

export type WatchStatusRest = {
  running: boolean
  /** Configured ids of the watched sources. */
  sources: string[]
  /** Lines that have arrived and are not yet stored. */
  buffered: number
  /** When lines were last stored. */
  last_flush_at: string | null
  /** Errors in the sources file, each with its position. If the file cannot be read at all, the previous sources stay watched. */
  problems: string[]
}

export type ContextDocRest = {
  id: string
  title: string
  text: string
  tags: string[]
  chunk_count: number
  created_at: string
}

export type ListContextDocsResponseRest = {
  docs: ContextDocRest[]
}

export type ContextDeletionRest = {
  deleted: number
}

export type ContextFactRest = {
  id: string
  category: string
  key: string
  value: string
  /** Origin: manual, wizard, or the name that its writer chose. */
  source: string
  created_at: string
}

export type ListContextFactsResponseRest = {
  facts: ContextFactRest[]
}

export type ContextWizardColumnRest = {
  name: string
  label: string
  /** text, choice or list. */
  type: string
  required: boolean
  help: string
  options: string[]
}

export type ContextWizardFieldRest = {
  name: string
  label: string
  /** text, choice, list (of texts), or rows (a list of objects with the `columns`). */
  type: string
  help: string
  /** For a choice. */
  options: string[]
  /** For rows. */
  columns: ContextWizardColumnRest[]
}

export type ContextWizardStepRest = {
  id: string
  title: string
  /** What the answers are used for. */
  description: string
  fields: ContextWizardFieldRest[]
  /** The stored answers: an object from fields to answers; null before the first. */
  answers: unknown
}

export type ContextWizardRest = {
  steps: ContextWizardStepRest[]
}

export type ContextFactPreviewRest = {
  category: string
  key: string
  value: string
  /** new, changed, unchanged, or kept: another writer's fact, which stays unchanged. */
  change: string
}

export type ContextWizardAnswerRest = {
  /** Id of the next step; null after the last. */
  next_step: string | null
  facts_preview: ContextFactPreviewRest[]
}

export type ContextWizardResultRest = {
  facts_created: number
  facts_updated: number
  facts_removed: number
}

export type ContextChunkMatchRest = {
  doc_id: string
  text: string
  score: number
  title: string
  /** Headings above the chunk, outermost first. */
  headings: string[]
}

export type ContextFactMatchRest = {
  category: string
  key: string
  value: string
  score: number
}

export type ContextMatchesRest = {
  chunks: ContextChunkMatchRest[]
  facts: ContextFactMatchRest[]
}

export type FormatRest = {
  /** Value for the `format` of an upload; null if a user's file has no readable name. */
  name: string | null
  description: string | null
  /** built_in or user. */
  source: string
  /** The name of the user's file. */
  file: string | null
  /** Why the format is not used. */
  error: string | null
  /** An example line of this format. */
  example: string | null
}

export type ListFormatsResponseRest = {
  formats: FormatRest[]
}

/** Times are ISO 8601 in UTC. */
export type IncidentRest = {
  id: string
  label: string
  /** open, acknowledged or resolved. */
  status: string
  started_at: string
  /** Null while it is ongoing. */
  ended_at: string | null
  notes: string
  /** CRITICAL, ERROR or WARN. */
  severity: string | null
  /** Free text; `auto:<source_id>` for incidents that were created from errors. */
  issue_type: string | null
  /** Search that its entries match, as `q` of a search. */
  query: string | null
  /** Source, or stem of a group of sources, of its entries. */
  source_id: string | null
  /** Whether the service created it from errors. */
  automatic: boolean
  /** Number of errors that it was created from, if automatic. */
  error_count: number
  attached_count: number
  created_at: string
  updated_at: string
  acknowledged_at: string | null
  resolved_at: string | null
}

export type ListIncidentsResponseRest = {
  incidents: IncidentRest[]
  next_cursor: string | null
}

/** An event in the history of an incident. */
export type IncidentEventRest = {
  /** created, edited, opened, acknowledged, resolved, extended, attached, detached, downloaded, queued, sent, send_failed or exported. */
  kind: string
  /** A sentence about the event. */
  detail: string
  at: string
}

export type SimilarIncidentRest = {
  id: string
  label: string
  status: string
  issue_type: string | null
  started_at: string
  ended_at: string | null
  notes: string
}

export type IncidentDetailRest = {
  id: string
  label: string
  status: string
  started_at: string
  ended_at: string | null
  notes: string
  severity: string | null
  issue_type: string | null
  query: string | null
  source_id: string | null
  automatic: boolean
  error_count: number
  attached_count: number
  created_at: string
  updated_at: string
  acknowledged_at: string | null
  resolved_at: string | null
  /** Up to 100, sorted by time; if there are more, the attached ones first, then the earliest. */
  entries: EntryRest[]
  /** Number of all entries that belong to it. */
  entry_count: number
  /** Its history, newest first, up to 200 events. */
  timeline: IncidentEventRest[]
  /** Other incidents with the same label, issue type or source, newest first, up to 5. */
  similar: SimilarIncidentRest[]
  /** Those of `entries` that are attached to it and can be removed; the others are found by its window. */
  attached_entry_ids: string[]
}

export type AttachEntriesResponseRest = {
  /** Number of newly attached entries. */
  attached: number
  /** Number of all attached entries. */
  attached_count: number
}

/** An outgoing bundle. */
export type SentBundleRest = {
  id: string
  incident_id: string
  /** `download`, or the address that it is sent to. */
  destination: string
  sanitized: boolean
  /** downloaded, queued, sent or failed. */
  status: string
  /** Null while it is queued. */
  sent_at: string | null
  created_at: string
  attempts: number
  /** Only for a queued bundle. */
  next_attempt_at: string | null
  /** Why the last attempt failed. */
  last_error: string | null
}

export type TicketRest = {
  tracker: string
  ticket_id: string
  url: string
  /** Whether this request created it. */
  created: boolean
}

export type BundleIdRest = {
  id: string
}

/** A received bundle. Its content comes from another installation. */
export type BundleRest = {
  id: string
  bundle_version: number
  service_version: string | null
  /** When it was exported. */
  exported_at: string
  sanitized: boolean
  label: string
  issue_type: string | null
  severity: string | null
  entry_count: number
  /** Size of its JSON. */
  bytes: number
  received_at: string
}

export type ListBundlesResponseRest = {
  bundles: BundleRest[]
  next_cursor: string | null
}

export type BundleDetailRest = {
  id: string
  bundle_version: number
  service_version: string | null
  exported_at: string
  sanitized: boolean
  label: string
  issue_type: string | null
  severity: string | null
  entry_count: number
  bytes: number
  received_at: string
  /** The whole bundle. */
  bundle: unknown
}

export type ListSentBundlesResponseRest = {
  sent_bundles: SentBundleRest[]
  next_cursor: string | null
  /** Where bundles are sent to, without its query and credentials; null if no endpoint is configured (`SERVICE_BUNDLE_ENDPOINT`). */
  receiver: string | null
}

/** A classifier that extends the scorer's own rules. */
export type ScorerModelRest = {
  /** Whether a folder with a model is configured. */
  configured: boolean
  /** Whether it is in memory; it is loaded when needed, and unloaded when not. */
  loaded: boolean
  /** Why it cannot be used, as a sentence that names the file; null if it can. */
  problem: string | null
  /** Its labels, once it has been loaded. */
  labels: string[]
  /** Lowest score of the model that counts as a detection. */
  threshold: number
}

export type ScorerOutcomeRest = {
  started_at: string
  finished_at: string
  /** Number of sources with entries to score. */
  sources: number
  /** Number of entries examined. */
  entries: number
  /** Number of new detections. */
  detections: number
}

export type ScorerStatusRest = {
  /** anomaly or cybersec. */
  scorer: string
  /** Whether it is scoring now, on any replica. */
  running: boolean
  /** Task of the run in progress; null if none was requested. */
  task_id: string | null
  model: ScorerModelRest | null
  /** When it last finished scoring; null before the first time. */
  last_run_at: string | null
  /** Result of that run; null before the first one. */
  last_run: ScorerOutcomeRest | null
  /** Number of all its detections. */
  detections: number
  /** Number of its detections that are not acknowledged. */
  unacknowledged: number
  /** What cannot be scored, as a sentence that names it; null if everything can. */
  problem: string | null
  /** Number of entries not examined yet. While it is 0, an entry without a score was examined and is harmless; otherwise it may be one of these. A
   * score is attached to the entries that best show a detection, not to each of the thousands that a flood may have. */
  unscored: number
}

/** A finding of a scorer, shown by one entry that supports it. */
export type DetectionRest = {
  id: string
  /** Id of that entry. */
  entry_id: string
  /** anomaly or cybersec. */
  scorer: string
  /** 0 to 1: how certain the scorer is that the finding needs attention. */
  score: number
  /** Kind of the finding. */
  label: string
  /** CRITICAL, ERROR, WARN or null. */
  severity: string | null
  /** Text of the entry, up to 4,096 characters. */
  text: string
  source_id: string
  detected_at: string
  acknowledged: boolean
  acknowledged_at: string | null
  notes: string | null
  /** What was observed, as a sentence. */
  reason: string
  /** The address, account or kind of message that it is about. */
  subject: string
  /** Number of entries that support it. */
  entry_count: number
  /** Times of the first and the last of these entries. */
  first_seen: string
  last_seen: string
}

export type ListDetectionsResponseRest = {
  detections: DetectionRest[]
  next_cursor: string | null
}

export type SettingsRest = {
  /** Base URL of an OpenAI-compatible language-model server: the part before `/chat/completions`. */
  llm_base_url: string
  llm_model: string
  /** Sent as a bearer token to that server only. */
  llm_api_key: string
  /** Audience of summaries: sysadmin, homelab or executive. */
  tech_level: string
  /** Address of the DNS filter, as in a browser without the path: `http://pi.hole` or `https://192.168.1.2`. */
  dns_filter_url: string
  /** 6 or 5 for Pi-hole, adguard for AdGuard Home. */
  dns_filter_version: string
  /** Pi-hole 6: an application password. Pi-hole 5: the API token. AdGuard Home: `user:password`. */
  dns_filter_api_key: string
  /** Accepted certificate of the DNS filter: empty for one of a public authority, the SHA-256 fingerprint of its own one, or `any`. */
  dns_filter_certificate: string
  /** Sources that the scan for block list candidates reads: routers, DNS servers, proxies. Empty: all. */
  router_source_ids: string[]
  /** JSON text of an object from addresses to names. */
  device_names: string
  /** Value that the media monitor must send as `X-Notifier-Token`; empty: none required. */
  media_monitor_token: string
  notion_url: string
  notion_token: string
  notion_database_id: string
  jira_url: string
  /** Empty for Jira Server and Data Center, which need only the token. */
  jira_email: string
  jira_token: string
  jira_project: string
  jira_issue_type: string
}

export type SetupStatusRest = {
  has_sources: boolean
  source_count: number
  problems: string[]
}

export type LogFileRest = {
  path: string
  /** In bytes. */
  size: number
  modified_at: string
}

/** A source as in the sources file. The allowed keys depend on `transport` and `glean_type`; omitted ones have their defaults. */
export type SourceDraftRest = {
  id: string
  /** local (default) or ssh. */
  transport: string | null
  /** file, journald, docker or podman; with ssh journald, syslog, plaintext or docker. */
  glean_type: string | null
  /** A file, a folder or a pattern of files. */
  path: string | null
  enabled: boolean | null
  source_id: string | null
  host: string | null
  tenant_id: string | null
  retention_days: number | null
  format: string | null
  timezone: string | null
  /** untilHeader, traces or never. */
  multiline: string | null
  include: string[]
  exclude: string[]
  recursive: boolean | null
  units: string[]
  containers: string[]
  socket: string | null
  /** Id of an SSH target, instead of host, port, user and key_path. */
  ssh_target: string | null
  port: number | null
  user: string | null
  key_path: string | null
  remote_path: string | null
}

export type DiscoveryRest = {
  /** Whether there is a systemd journal. */
  journald: boolean
  /** Whether there is a Docker socket. */
  docker: boolean
  /** Whether there is a Podman socket. */
  podman: boolean
  files: LogFileRest[]
  /** What is not configured yet, as sources. */
  suggestions: SourceDraftRest[]
}

export type WriteSourcesResponseRest = {
  /** Number of sources written. */
  written: number
  /** The written sources, as they were sent. */
  sources: SourceDraftRest[]
}

export type InterpretationRest = {
  source: SourceDraftRest | null
  /** keyword, llm, or null. */
  method: string | null
  /** If `source` is null, why, and what to do: a sentence. */
  reason: string | null
}

export type ScannedFileRest = {
  path: string
  /** From 0 to 1. */
  score: number
  /** In bytes. */
  size: number
  modified_at: string
  /** Keywords of the query that the file contains. */
  matches: string[]
}

export type ScanResultRest = {
  files: ScannedFileRest[]
  is_complete: boolean
}

/** A remote host, and how to reach it. */
export type SshTargetRest = {
  id: string
  label: string
  /** A name or an address. */
  host: string
  port: number
  user: string
  /** Path of the private key on the server. Its content is never shown. */
  key_path: string
  /** When it was last tested, in ISO 8601; null before the first test. */
  last_tested: string | null
  /** Whether that test succeeded. */
  last_ok: boolean | null
  /** Why it failed; null if it did not. */
  last_error: string | null
  /** Fingerprint of the host key, as `ssh-keygen -l` prints it; null if the host was never reached. */
  host_key_fingerprint: string | null
  /** Problems with the key file: others can read it, or it does not exist. */
  warnings: string[]
  created_at: string
  updated_at: string
}

export type ListSshTargetsResponseRest = {
  ssh_targets: SshTargetRest[]
}

/** Result of a test. */
export type SshTargetTestRest = {
  ok: boolean
  /** What to do, as a sentence; null if the test succeeded. */
  error: string | null
  /** Fingerprint of the key that the host presented, accepted or not; null if it was not reached. */
  host_key_fingerprint: string | null
  /** Problems with the key file. */
  warnings: string[]
  took_ms: number
  /** The target after the test. */
  target: SshTargetRest | null
}

/** Number of entries over a time window, in equal buckets. */
export type TemplateTrendRest = {
  /** - `new`: its first entry lies in the last quarter of the window.
   * - `silent`: the last quarter has no entries, although the rest of the window predicts four or more.
   * - `rising`, `falling`: more than twice, or less than half, of the predicted number, and beyond chance (three times its square root).
   * - `steady`: anything else. */
  direction: string
  start: string
  bucket_seconds: number
  counts: number[]
}

export type TemplateRest = {
  /** Derived from the template alone: the same kind of message has the same id on every replica and branch. */
  template_id: string
  /** The common text of the messages. */
  template: string
  /** Number of entries from `since` to `until`. */
  count: number
  /** Time of the first entry that passes the other filters, inside or outside that range. */
  first_seen: string
  last_seen: string
  /** Severity of most of its entries; null if most have none. */
  severity: string | null
  trend: TemplateTrendRest | null
}

export type ListTemplatesResponseRest = {
  templates: TemplateRest[]
  /** Number of templates on all pages. */
  total: number
  next_cursor: string | null
}

export type TemplateDetailRest = {
  template: TemplateRest | null
  /** Sources of its entries, most entries first, at most 100. */
  sources: FacetValueRest[]
  /** Its newest entries, at most 10. */
  examples: EntryRest[]
}

/** How a continuation joins the preceding audio. A value that cannot be measured is null. */
export type SeamRest = {
  /** How unusual the seam is among all positions in the preceding audio: 50 is ordinary, 100 unlike anything in it. */
  distance_percentile: number | null
  /** Difference in loudness between the 3 s on either side. */
  loudness_step_lu: number | null
  /** Deviation of the beat from the continued beat of the parent. */
  beat_error_ms: number | null
}

/** One stem of a node. */
export type StemRest = {
  /** `vocals`, `drums`, `bass` or `other`. */
  name: string
  /** Path of its audio. */
  url: string
  /** Its share of the energy of all four, which sum to 1. */
  energy_share: number
}

/** A node's audio separated into four stems, whose samples sum to those of the node exactly. */
export type StemsRest = {
  /** `none`, `generating`, `ready` or `error`. */
  status: string
  /** `model` for a model that this installation has; `blind` for signal processing without a model, whose stems are approximate. Null until it is
   * known. */
  method: string | null
  /** 0 to 1. */
  progress: number
  /** Why it failed, as a sentence. */
  error: string | null
  /** Vocals, drums, bass and other; empty until they are ready. */
  stems: StemRest[]
}

/** An upload or a continuation. */
export type NodeRest = {
  node_id: string
  chain_id: string
  parent_id: string | null
  status: NodeStatusWord | null
  decision: DecisionWord | null
  kind: NodeKindWord | null
  prompt: string
  /** Null for an upload. */
  seed: number | null
  duration_seconds: number
  /** Length of the preceding audio that is used as context; null: all of it. */
  context_seconds: number | null
  generator: GeneratorWord | null
  /** 0 to 1. */
  progress: number
  /** Why it failed, as a sentence. */
  error: string | null
  /** How it joins its parent; null for an upload, and until it is ready. */
  seam: SeamRest | null
  bpm: number | null
  key: string | null
  loudness_lufs: number | null
  audio_url: string
  peaks_url: string
  /** Null if no stems have been made. */
  stems: StemsRest | null
  created_at: string
  ready_at: string | null
  /** Words of the prompt that the generator followed. */
  prompt_honored: string[]
  /** Other words of the prompt, which the generator did not follow; empty until the node is ready. */
  prompt_ignored: string[]
  /** Range between soft and loud passages in LU (EBU Tech 3342); null for silence and below 3 s. */
  loudness_range_lu: number | null
}

/** A piece of music with its continuations. */
export type ChainRest = {
  chain_id: string
  name: string
  created_at: string
  /** When it was last renamed, or takes were added, decided on or removed. */
  updated_at: string
  /** Samples per second of all its audio. */
  sample_rate: number
  channels: number
  root_node_id: string
  /** The committed nodes in order, from the root. */
  spine: string[]
  nodes: NodeRest[]
  /** Tempo of the upload; null if it has no steady beat. */
  bpm: number | null
  /** Key of the upload, such as "F major"; null if it has none. */
  key: string | null
  /** Integrated loudness of the upload in LUFS; null for silence. */
  loudness_lufs: number | null
}

export type ListChainsResponseRest = {
  chains: ChainRest[]
  next_cursor: string | null
}

export type CreateBranchesResponseRest = {
  nodes: NodeRest[]
}

/** The lowest and highest sample of each of equal stretches of the audio, full scale at 1. */
export type PeaksRest = {
  points: number
  duration_seconds: number
  min: number[]
  max: number[]
}

/** GPUs of one model, or shares of them if they are shared. */
export type GpuModelRest = {
  /** As in the labels of the cluster's nodes. */
  product: string
  /** Null if unknown. */
  memory_mib: number | null
  total: number
  free: number
  used_by_us: number
}

/** A generator of continuations. */
export type GeneratorStatusRest = {
  /** As `generator` in a request for branches. */
  name: string
  available: boolean
  /** Why it is not available; null if it is. */
  reason: string | null
  /** Length of the longest continuation that it generates at once. */
  max_seconds: number
  /** Rate at which it generates, before its output is converted to that of the chain; null: the rate of the chain. */
  sample_rate: number | null
}

/** What generations run on. */
export type GpuRest = {
  mode: GpuModeWord | null
  observed_at: string
  /** GPUs by model. */
  classes: GpuModelRest[]
  /** Number of queued generations. */
  queue_depth: number
  running: number
  /** Estimated wait of a generation requested now, from the durations of the latest ones; null while none is known. */
  estimated_wait_seconds: number | null
  generators: GeneratorStatusRest[]
  /** Why there are no GPUs, or what is unknown, as sentences. */
  reasons: string[]
}

/** A leased slot. */
export type GpuSessionRest = {
  session_id: string
  /** Always `leased`. */
  status: string
  expires_at: string
}

/** The response of the synchronous search, as an event. */
export type ListingsFrameRest = {
  type: string
  listings: ListingRest[]
  trust_scores: Record<string, TrustScoreRest>
  sellers: Record<string, SellerRest>
  market_price: number | null
  adapter_used: string
  affiliate_active: boolean
  session_id: string | null
}

export type MarketPriceFrameRest = {
  type: string
  market_price: number | null
  sample_count: number
  /** [q1, q3] of completed sales; null without a median. */
  quartiles: unknown
  /** When the price expires and is looked up again; null if none was looked up. */
  expires_at: string | null
}

export type ScoreFrameRest = {
  type: string
  platform_listing_id: string
  trust_score: TrustScoreRest | null
  seller: SellerRest | null
  market_price: number | null
}

export type SearchFailedFrameRest = {
  type: string
  /** The HTTP status that the synchronous search would have returned. */
  status: number
  detail: string
}

export type DoneFrameRest = {
  /** Why the stream ended, unless the search completed. */
  reason?: string | null
}

/** Events were dropped because the reader was slower than the stream. */
export type GapRest = {
  /** Number of dropped events; null if unknown. */
  missed: number | null
}

/** The requested position in the stream is no longer retained: fetch the current state again, then follow from here. */
export type ResetRest = {
}

/** The branches whose entries do not arrive at the moment have changed. When a stream opens, none is missing until this event. */
export type BranchesMissingRest = {
  /** Slugs of active branches that do not respond, and of an inactive branch that the request names. Empty when all are followed again. */
  branches: string[]
}

export type DiagnoseStatusRest = {
  stage: string
  detail: string
}

export type DiagnoseSummaryRest = {
  text: string
  source: string
  by_domain: Record<string, number>
  by_severity: Record<string, number>
  /** False in the last summary. */
  partial: boolean
}

export type DiagnoseEntriesRest = {
  entries: EntryRest[]
  /** keywords, source, window or context. */
  layer: string
}

export type DiagnoseReasoningRest = {
  text: string
  /** Causes, whose entries were sent before, and the timeline, as of a diagnosis. */
  suspected_causes: SuspectedCauseRest[]
  timeline: TimelinePointRest[]
  timeline_left_out: TimelineLeftOutRest | null
}

export type DiagnoseFailedRest = {
  detail: string
}

export type DiagnoseDoneRest = {
  took_ms: number
}

/** The status, decision or progress of a node has changed. */
export type NodeStatusChangedRest = {
  node_id: string
  status: NodeStatusWord | null
  progress: number
  decision: DecisionWord | null
  error: string | null
}

/** A node was deleted. */
export type NodeRemovedRest = {
  node_id: string
}

/** The chain was deleted; the stream ends. */
export type ChainRemovedRest = {
  chain_id: string
}

/** The status or progress of the stems of a node has changed. */
export type StemsStatusChangedRest = {
  node_id: string
  /** `none`, `generating`, `ready` or `error`. None: they were deleted. */
  status: string
  progress: number
  method: string | null
  error: string | null
}

export type QuietHoursInput = {
  /** HH:MM */
  start: string
  /** HH:MM; before `start` for a span over midnight. */
  end: string
  /** An IANA time zone. */
  time_zone: string
}

export type AlertWebhookTargetInput = {
  url: string
  /** The key of the signatures, at least 16 characters: text, or `whsec_` and base64. `***` keeps the stored one. */
  secret: string
}

export type AlertEmailTargetInput = {
  address: string
}

export type ReportedSellerInput = {
  /** The marketplace's id of the seller. */
  platform_seller_id: string
  username?: string | null | undefined
}

export type LanguageModelInput = {
  base_url?: string | null | undefined
  model?: string | null | undefined
  api_key?: string | null | undefined
}

export type SourceDraftInput = {
  id?: string | null | undefined
  /** local (default) or ssh. */
  transport?: string | null | undefined
  /** file, journald, docker or podman; with ssh journald, syslog, plaintext or docker. */
  glean_type?: string | null | undefined
  /** A file, a folder or a pattern of files. */
  path?: string | null | undefined
  enabled?: boolean | null | undefined
  source_id?: string | null | undefined
  host?: string | null | undefined
  tenant_id?: string | null | undefined
  retention_days?: number | null | undefined
  format?: string | null | undefined
  timezone?: string | null | undefined
  /** untilHeader, traces or never. */
  multiline?: string | null | undefined
  include?: readonly (string)[] | null | undefined
  exclude?: readonly (string)[] | null | undefined
  recursive?: boolean | null | undefined
  units?: readonly (string)[] | null | undefined
  containers?: readonly (string)[] | null | undefined
  socket?: string | null | undefined
  /** Id of an SSH target, instead of host, port, user and key_path. */
  ssh_target?: string | null | undefined
  port?: number | null | undefined
  user?: string | null | undefined
  key_path?: string | null | undefined
  remote_path?: string | null | undefined
}

/** Every route by method and path: its parameters, its answer and, of a stream, its frames by event. */
export type Routes = {
  /** Answers the marketplace's challenge, with which it verifies the endpoint: the SHA-256 digest of the challenge code, the verification token and the
   * URL of the endpoint. 500 names the missing settings. */
  'GET /listings/api/marketplace/account-deletion': {
    path: {}
    query: { challenge_code: string }
    body: undefined
    answer: AnswerChallengeResponseRest
    frames: {}
  }
  /** Receives a notification that an account was deleted. Answers at once; what is stored about the account is deleted in the background, in every
   * store. A notification that was received before changes nothing.
   * 
   * The header `X-Marketplace-Signature` (or `X-EBAY-SIGNATURE`) is the base64 of the JSON object `{alg, kid, signature, digest}`; 412 if it is
   * missing, malformed or does not match the body, 400 if the body is not such a notification. 500 names missing settings; 502 and 504 if the public
   * key cannot be fetched. */
  'POST /listings/api/marketplace/account-deletion': {
    path: {}
    query: {}
    body: string | Blob
    answer: AccountDeletionResponseRest
    frames: {}
  }
  /** Checks the configuration of these notifications. 500 names the variables that are not set. */
  'GET /listings/api/marketplace/webhook-health': {
    path: {}
    query: {}
    body: undefined
    answer: GetWebhookHealthResponseRest
    frames: {}
  }
  /** Lists the caller's alerts, newest first. Empty without a session. */
  'GET /listings/api/alerts': {
    path: {}
    query: { include_dismissed?: boolean | null | undefined; limit?: number | null | undefined; cursor?: string | null | undefined }
    body: undefined
    answer: ListAlertsResponseRest
    frames: {}
  }
  /** Dismisses an alert. A later drop of the listing's price alerts again. */
  'POST /listings/api/alerts/{id}/dismiss': {
    path: { id: string | number }
    query: {}
    body: undefined
    answer: undefined
    frames: {}
  }
  /** Dismisses all alerts that are listed by default, so not those that are snoozed. */
  'POST /listings/api/alerts/dismiss-all': {
    path: {}
    query: {}
    body: undefined
    answer: DismissAllAlertsResponseRest
    frames: {}
  }
  /** Hides an alert until a time, at most a year ahead: `{"until": "2026-12-01T08:00:00Z"}`. It is then unread again. */
  'POST /listings/api/alerts/{id}/snooze': {
    path: { id: string | number }
    query: {}
    body: { until: string }
    answer: AlertRest
    frames: {}
  }
  /** The caller's newest alerts as an Atom feed. The token in the address is the credential, because feed readers send no other. 304 if the feed has
   * not changed since the ETag in `If-None-Match`. */
  'GET /listings/api/alerts/feed': {
    path: {}
    query: { token: string }
    body: undefined
    answer: Blob
    frames: {}
  }
  /** Returns how the caller receives alerts. A secret reads as `***`. */
  'GET /listings/api/alert-settings': {
    path: {}
    query: {}
    body: undefined
    answer: AlertSettingsRest
    frames: {}
  }
  /** Replaces how the caller receives alerts: channels and quiet hours that are left out are switched off. The secret `***` keeps the stored one. With
   * accounts, a new e-mail address receives a code that confirms it. 503 for an e-mail address if the installation sends no mail. */
  'PUT /listings/api/alert-settings': {
    path: {}
    query: {}
    body: { quiet_hours?: QuietHoursInput | null | undefined; webhook?: AlertWebhookTargetInput | null | undefined; email?: AlertEmailTargetInput | null | undefined }
    answer: AlertSettingsRest
    frames: {}
  }
  /** Confirms the e-mail address with the code that was sent to it. After five wrong codes, save the address again for a new one. */
  'POST /listings/api/alert-settings/email/confirm': {
    path: {}
    query: {}
    body: { code: string }
    answer: AlertSettingsRest
    frames: {}
  }
  /** Creates the address of the caller's feed, and invalidates an earlier one. It is shown only here. */
  'POST /listings/api/alert-settings/feed': {
    path: {}
    query: {}
    body: undefined
    answer: AlertFeedAddressRest
    frames: {}
  }
  /** Invalidates the address of the caller's feed. */
  'DELETE /listings/api/alert-settings/feed': {
    path: {}
    query: {}
    body: undefined
    answer: undefined
    frames: {}
  }
  /** Lists the blocked sellers of all marketplaces, latest first. */
  'GET /listings/api/blocklist': {
    path: {}
    query: {}
    body: undefined
    answer: ListBlockedSellersResponseRest
    frames: {}
  }
  /** Blocks a seller. A seller who is already on the list gets the new name, and the new reason unless it is blank. Requires an account. */
  'POST /listings/api/blocklist': {
    path: {}
    query: {}
    body: { platform?: string | null | undefined; platform_seller_id: string; username: string; reason?: string | null | undefined; flags?: readonly (string)[] | null | undefined }
    answer: BlockedSellerRest
    frames: {}
  }
  /** Removes a seller from the list; 204 also if they are not on it. Requires an account. */
  'DELETE /listings/api/blocklist/{platform_seller_id}': {
    path: { platform_seller_id: string | number }
    query: { platform?: string | null | undefined }
    body: undefined
    answer: undefined
    frames: {}
  }
  /** Downloads the list as CSV, latest first, with the columns platform, platform_seller_id, username, reason, source and created_at. Cells that a
   * spreadsheet would run as formulas start with an apostrophe, which an import removes. */
  'GET /listings/api/blocklist/export': {
    path: {}
    query: {}
    body: undefined
    answer: Blob
    frames: {}
  }
  /** Imports sellers from a CSV file in UTF-8, in the form field `file`. The columns platform_seller_id and username are required; platform and reason
   * are optional, and others are ignored. Semicolons or tabs may take the place of commas. Rows without a required value are skipped and reported as
   * `Row <n>: ...`, where the header is row 1. At most 100,000 rows and 20 MB. All other rows are imported, or none if the import fails. Requires a
   * session, of a guest at least. */
  'POST /listings/api/blocklist/import': {
    path: {}
    query: {}
    body: FormData
    answer: ImportBlocklistResponseRest
    frames: {}
  }
  /** Returns the known categories by name: those of the marketplace's API, read again every seven days, or without its credentials a built-in list. */
  'GET /listings/api/categories': {
    path: {}
    query: {}
    body: undefined
    answer: ListCategoriesResponseRest
    frames: {}
  }
  /** Stores whether the score of a seller looks right. A user has one signal for each seller: sent again, it replaces the earlier one. Visitors need a
   * session (403). The newest 2,000 signals of a user are retained, and the newest 50,000 of all guests together. */
  'POST /listings/api/community/signal': {
    path: {}
    query: {}
    body: { seller_id: string; confirmed: boolean }
    answer: undefined
    frames: {}
  }
  /** Stores a correction or a confirmation. With the rating `down`, `corrected_output` must not be blank (422). Visitors need a session (403). The
   * newest 10,000 corrections of a user are retained, and the newest 10,000 of all guests together. */
  'POST /listings/api/corrections': {
    path: {}
    query: {}
    body: { item_id?: string | null | undefined; product: string; correction_type: string; input_text: string; original_output: string; corrected_output?: string | null | undefined; rating?: CorrectionRatingWord | null | undefined; context?: unknown | null | undefined; opted_in?: boolean | null | undefined }
    answer: AddCorrectionResponseRest
    frames: {}
  }
  /** Lists corrections of all users, newest first. Only for the signed-in (403). */
  'GET /listings/api/corrections': {
    path: {}
    query: { opted_in_only?: boolean | null | undefined; limit?: number | null | undefined; cursor?: string | null | undefined }
    body: undefined
    answer: ListCorrectionsResponseRest
    frames: {}
  }
  /** Downloads corrections of all users as lines of JSON, oldest first, by default only those whose users agreed to it. Only for the signed-in (403). */
  'GET /listings/api/corrections/export': {
    path: {}
    query: { opted_in_only?: boolean | null | undefined }
    body: undefined
    answer: Blob
    frames: {}
  }
  /** Returns whether feedback can be sent: an issue tracker is configured, and this is no demo. */
  'GET /listings/api/feedback/status': {
    path: {}
    query: {}
    body: undefined
    answer: GetFeedbackStatusResponseRest
    frames: {}
  }
  /** Creates an issue in the tracker. The same text sent again within a minute returns the issue of the first request. 503 without a tracker, 403 in
   * demo mode and for visitors without a session, 429 after many issues in an hour, 502 with the beginning of the tracker's response if it refuses,
   * 504 if it does not respond. */
  'POST /listings/api/feedback': {
    path: {}
    query: {}
    body: { title: string; description: string; type?: FeedbackTypeWord | null | undefined; repro?: string | null | undefined; view?: string | null | undefined; tab?: string | null | undefined; submitter?: string | null | undefined }
    answer: SendFeedbackResponseRest
    frames: {}
  }
  /** Searches the marketplace and returns listings, scores, sellers and the market price in one response. Seller data that is still missing is
   * looked up afterwards and follows on the update stream of the session. */
  'GET /listings/api/search': {
    path: {}
    query: { q?: string | null | undefined; max_price?: number | null | undefined; min_price?: number | null | undefined; pages?: number | null | undefined; must_include?: string | null | undefined; must_include_mode?: MustIncludeModeWord | null | undefined; must_exclude?: string | null | undefined; category_id?: string | null | undefined; adapter?: AdapterWord | null | undefined }
    body: undefined
    answer: ListingsSearchResponseRest
    frames: {}
  }
  /** Starts the same search and returns immediately; all results follow on the update stream. */
  'GET /listings/api/search/async': {
    path: {}
    query: { q?: string | null | undefined; max_price?: number | null | undefined; min_price?: number | null | undefined; pages?: number | null | undefined; must_include?: string | null | undefined; must_include_mode?: MustIncludeModeWord | null | undefined; must_exclude?: string | null | undefined; category_id?: string | null | undefined; adapter?: AdapterWord | null | undefined }
    body: undefined
    answer: SearchAsyncResponseRest
    frames: {}
  }
  /** Streams a search: its listings, the market price, rescored listings as seller data arrives, and `done`. */
  'GET /listings/api/updates/{session_id}': {
    path: { session_id: string | number }
    query: { last_event_id?: string | null | undefined }
    body: undefined
    answer: undefined
    frames: { 'listings': ListingsFrameRest; 'market_price': MarketPriceFrameRest; 'update': ScoreFrameRest; 'search_failed': SearchFailedFrameRest; 'done': DoneFrameRest; 'gap': GapRest; 'reset': ResetRest }
  }
  /** Stops a search and ends its stream. */
  'DELETE /listings/api/updates/{session_id}': {
    path: { session_id: string | number }
    query: {}
    body: undefined
    answer: undefined
    frames: {}
  }
  /** Returns the caller and the features they may use. A visitor without a session receives a guest cookie. */
  'GET /listings/api/session': {
    path: {}
    query: {}
    body: undefined
    answer: GetSessionResponseRest
    frames: {}
  }
  /** Looks up a seller now, starting from one of their listings, and rescores that listing. */
  'POST /listings/api/enrich': {
    path: {}
    query: { seller: string; listing_id: string; query?: string | null | undefined }
    body: undefined
    answer: EnrichResponseRest
    frames: {}
  }
  /** Returns a listing as last seen, with its score, its seller, its price history and the times it was seen. */
  'GET /listings/api/listings/{platform_listing_id}': {
    path: { platform_listing_id: string | number }
    query: {}
    body: undefined
    answer: GetListingResponseRest
    frames: {}
  }
  /** Returns the market price for a query: the median of completed sales. */
  'GET /listings/api/comps': {
    path: {}
    query: { q: string }
    body: undefined
    answer: GetCompsResponseRest
    frames: {}
  }
  /** Health check. */
  'GET /listings/api/health': {
    path: {}
    query: {}
    body: undefined
    answer: HealthRest
    frames: {}
  }
  /** Lists the fields of the marketplace's pages that are no longer found as often as before: searches work, but with less data. Empty while the pages
   * are as usual. */
  'GET /listings/api/marketplace/page-drift': {
    path: {}
    query: {}
    body: undefined
    answer: PageDriftRest
    frames: {}
  }
  /** Health check. */
  'GET /listings/health': {
    path: {}
    query: {}
    body: undefined
    answer: HealthRest
    frames: {}
  }
  /** Returns a photo of a listing that the caller's searches have found: JPEG, PNG, GIF, WebP or AVIF by its content, at most 5 MB. Other content is
   * a 415. Requests to the marketplace are paced, so the first one for a photo may take some seconds; later ones are answered from a cache. */
  'GET /listings/api/photos/{platform_listing_id}/{n}': {
    path: { platform_listing_id: string | number; n: string | number }
    query: {}
    body: undefined
    answer: Blob
    frames: {}
  }
  /** Returns all preferences of the caller, nested by the parts of their paths. Empty for a visitor without a session. */
  'GET /listings/api/preferences': {
    path: {}
    query: {}
    body: undefined
    answer: PreferencesRest
    frames: {}
  }
  /** Sets a preference, or clears it with null, and returns all preferences. Requires a session, of a guest at least; a campaign of one's own
   * (`affiliate.byok_ids.marketplace`) requires the premium tier. */
  'PATCH /listings/api/preferences': {
    path: {}
    query: {}
    body: { path: string; value?: unknown | null | undefined }
    answer: PreferencesRest
    frames: {}
  }
  /** Turns a description such as "a used ThinkPad with 16 GB under 400 dollars" into the parameters of a search. Needs the feature
   * `llm_query_builder` (else 402) and a language model (`LLM_BASE_URL`; else, and if it fails, 503). An answer of the model that cannot be parsed
   * is a 422 whose `detail` is `{"message": ..., "raw": ...}`, where `raw` is the answer. */
  'POST /listings/api/search/build': {
    path: {}
    query: {}
    body: { natural_language: string }
    answer: BuildSearchResponseRest
    frames: {}
  }
  /** Lists the sellers that the caller has reported, latest first. Empty for a visitor without a session. */
  'GET /listings/api/reported': {
    path: {}
    query: {}
    body: undefined
    answer: ListReportedSellersResponseRest
    frames: {}
  }
  /** Remembers that the caller has reported sellers. A seller who is already on the list keeps the time of the first report. At most 5,000
   * sellers per user; beyond that, 409. Requires a session, of a guest at least. */
  'POST /listings/api/reported': {
    path: {}
    query: {}
    body: { sellers: readonly (ReportedSellerInput)[] }
    answer: undefined
    frames: {}
  }
  /** Lists the caller's saved searches, newest first. Empty without a session. */
  'GET /listings/api/saved-searches': {
    path: {}
    query: {}
    body: undefined
    answer: ListSavedSearchesResponseRest
    frames: {}
  }
  /** Saves a search: `{"name": "Laptops", "query": "thinkpad", "filters_json": "{\"max_price\": 600}"}`. 403 without a session, and when the limit of
   * the caller's tier is reached; 409 at 1,000 saved searches. */
  'POST /listings/api/saved-searches': {
    path: {}
    query: {}
    body: { name: string; query: string; filters_json?: string | null | undefined }
    answer: SavedSearchRest
    frames: {}
  }
  /** Deletes a saved search and its monitor. Its alerts remain. An unknown id changes nothing. */
  'DELETE /listings/api/saved-searches/{saved_id}': {
    path: { saved_id: string | number }
    query: {}
    body: undefined
    answer: undefined
    frames: {}
  }
  /** Records that the caller ran the search now, as `last_run_at`. The search itself is a request of its own. */
  'PATCH /listings/api/saved-searches/{saved_id}/run': {
    path: { saved_id: string | number }
    query: {}
    body: undefined
    answer: RunSavedSearchResponseRest
    frames: {}
  }
  /** Switches the monitor of a saved search on or off and changes its settings; fields that are left out keep their value. A monitor that is
   * switched on runs at once, then at its interval. 403 if the caller's tier has no monitors, or no more of them. */
  'PATCH /listings/api/saved-searches/{saved_id}/monitor': {
    path: { saved_id: string | number }
    query: {}
    body: { monitor_enabled?: boolean | null | undefined; poll_interval_min?: number | null | undefined; min_trust_score?: number | null | undefined }
    answer: SavedSearchRest
    frames: {}
  }
  /** Lists candidates, most suspicious first. */
  'GET /logs/api/blocklist/candidates': {
    path: {}
    query: { status?: string | null | undefined; limit?: number | null | undefined }
    body: undefined
    answer: ListBlocklistCandidatesResponseRest
    frames: {}
  }
  /** Scans the entries that arrived since the last scan for domains, in the sources that the setting `router_source_ids` names, or in all sources if
   * it names none. A request scans for at most 20 seconds; with `is_complete: false`, call again. The remainder is scanned in the background in any
   * case, as new entries are every 15 minutes. A branch that does not respond is named in the header `x-branches-missing`, and the scan is not
   * complete. 409 while a scan is running. */
  'POST /logs/api/blocklist/scan': {
    path: {}
    query: {}
    body: {}
    answer: BlocklistScanRest
    frames: {}
  }
  /** Decides on a candidate: `approved`, `ignored`, or back to `candidate`. 409 if it is blocked: unblock it first. */
  'PATCH /logs/api/blocklist/candidates/{id}': {
    path: { id: string | number }
    query: {}
    body: { status: string }
    answer: BlocklistCandidateRest
    frames: {}
  }
  /** Blocks an approved domain in the DNS filter and sets its status to `blocked`. 409 if it is not approved. 503 if `dns_filter_url` or
   * `dns_filter_api_key` is not set. If the filter refuses or is unreachable, the response is 502 with the filter's message; the candidate becomes
   * `push_failed` with that message as `last_error`, and can be pushed again. */
  'POST /logs/api/blocklist/candidates/{id}/push': {
    path: { id: string | number }
    query: {}
    body: undefined
    answer: BlocklistCandidateRest
    frames: {}
  }
  /** Removes a blocked domain from the DNS filter and sets its status to `unblocked`. A domain that the filter no longer has counts as removed. 409
   * if it is not blocked; 502 and 503 as for a push, and the domain stays blocked. */
  'POST /logs/api/blocklist/candidates/{id}/unblock': {
    path: { id: string | number }
    query: {}
    body: undefined
    answer: BlocklistCandidateRest
    frames: {}
  }
  /** Tests the DNS filter as configured: whether it is reachable and accepts the key. 503 if `dns_filter_url` or `dns_filter_api_key` is not set,
   * 502 with the filter's message if the test fails. */
  'POST /logs/api/blocklist/test': {
    path: {}
    query: {}
    body: {}
    answer: BlocklistTestRest
    frames: {}
  }
  /** Indexes log files and detects their format. Returns 202 with the task that tracks the indexing, or with `wait=true` 200 with the finished task. A
   * file that is sent again adds nothing.
   * 
   * Files may be plain, gzip, zstd, or archives: tar (optionally compressed by gzip or zstd) and zip, whose files may be gzip or zstd in turn. A form
   * field applies to the files after it. A field after the last file applies to all files, in forms up to 1 MB; in larger ones it is 422. The type of
   * a file is detected from its content, not its name. Each file of an archive is a separate source: `<source_id>/<path in the archive>`, without
   * `.gz` or `.zst`. Encrypted files, links, files that are not text, and nested archives are named in `skipped`. When a file is incomplete or
   * damaged, or exceeds a limit, what was read before that is stored, and the response reports it. 415 for content that is neither text nor a known
   * archive.
   * 
   * The export of a journal (`journalctl -o export`), detected by its content, yields the same entries as collecting the journal: the message as
   * text, the journal's fields, time and priority. An entry that cannot be read counts as rejected.
   * 
   * A file that is an array of JSON objects has an entry for each, in one line without white space. So has the export of CloudTrail, CloudWatch,
   * Azure, Elasticsearch, Kubernetes or another service that is one object with the array in `Records`, `records`, `events`, `logEvents`,
   * `hits.hits`, `items`, `entries`, `logs`, `value`, `data` or `results`; the other members of that object are a last entry. An
   * object with a level or a time is one entry. */
  'POST /logs/api/ingest/upload': {
    path: {}
    query: { wait?: boolean | null | undefined }
    body: FormData
    answer: TaskRest
    frames: {}
  }
  /** Returns the progress and the result of a task. */
  'GET /logs/api/tasks/{task_id}': {
    path: { task_id: string | number }
    query: {}
    body: undefined
    answer: TaskRest
    frames: {}
  }
  /** Streams a task until it ends. */
  'GET /logs/api/tasks/{task_id}/events': {
    path: { task_id: string | number }
    query: { last_event_id?: string | null | undefined }
    body: undefined
    answer: undefined
    frames: { 'progress': TaskRest; 'done': TaskRest }
  }
  /** Searches all entries, including those of active branches. `q` accepts words, all of which an entry must contain, "phrases", `prefix*`, `-not` and
   * `OR`; a malformed query is searched for as its words. In scripts without blanks between words, any substring matches. Without `q`: all entries
   * that pass the filters, newest first. A branch that does not respond in time is left out: the header `x-branches-missing` names it, and the total
   * is not exact. The same applies to an inactive branch that `branch` names. */
  'GET /logs/api/search': {
    path: {}
    query: { q?: string | null | undefined; source?: string | null | undefined; severity?: string | null | undefined; limit?: number | null | undefined; domain?: string | null | undefined; semantic?: boolean | null | undefined; since?: string | null | undefined; until?: string | null | undefined; pattern?: string | null | undefined; tenant?: string | null | undefined; branch?: string | null | undefined; cursor?: string | null | undefined; order?: string | null | undefined; template?: string | null | undefined; not_source?: string | null | undefined; not_domain?: string | null | undefined; not_template?: string | null | undefined }
    body: undefined
    answer: LogsSearchResponseRest
    frames: {}
  }
  /** Streams entries as they arrive, after the newest existing ones. A reader that is too slow receives a `gap`. An inactive branch that `branch`
   * names is listed in the header `x-branches-missing`, and followed once it is active. When a branch stops or does not respond, and when it is
   * followed again, the event `branches_missing` names all branches whose entries do not arrive. If the branch that `branch` names is deleted, the
   * stream ends with `failed` and the status 422. */
  'GET /logs/api/tail': {
    path: {}
    query: { q?: string | null | undefined; source?: string | null | undefined; severity?: string | null | undefined; domain?: string | null | undefined; pattern?: string | null | undefined; tenant?: string | null | undefined; branch?: string | null | undefined; history?: number | null | undefined; last_event_id?: string | null | undefined; template?: string | null | undefined; not_source?: string | null | undefined; not_domain?: string | null | undefined; not_template?: string | null | undefined }
    body: undefined
    answer: undefined
    frames: { 'entry': EntryRest; 'gap': GapRest; 'reset': ResetRest; 'branches_missing': BranchesMissingRest }
  }
  /** Returns the entries around an entry in its source, in order of time; for an entry of a branch, those of that branch. */
  'GET /logs/api/entries/{entry_id}/context': {
    path: { entry_id: string | number }
    query: { before?: number | null | undefined; after?: number | null | undefined }
    body: undefined
    answer: GetContextResponseRest
    frames: {}
  }
  /** Diagnoses a symptom: related entries, found in several ways, a summary, a timeline, and suspected causes. A branch that does not respond in time
   * is left out: the rule-based summary and the header `x-branches-missing` name it. */
  'POST /logs/api/diagnose': {
    path: {}
    query: {}
    body: { query: string; source_filter?: string | null | undefined; since?: string | null | undefined; until?: string | null | undefined; llm?: LanguageModelInput | null | undefined; timezone?: string | null | undefined }
    answer: DiagnosisRest
    frames: {}
  }
  /** Streams the same diagnosis: `status`, `summary`, `entries`, `reasoning`, `done`. A branch that is left out is named by a `status` with the stage
   * `branches`. */
  'POST /logs/api/diagnose/stream': {
    path: {}
    query: {}
    body: { query: string; source_filter?: string | null | undefined; since?: string | null | undefined; until?: string | null | undefined; llm?: LanguageModelInput | null | undefined; timezone?: string | null | undefined }
    answer: undefined
    frames: { 'status': DiagnoseStatusRest; 'summary': DiagnoseSummaryRest; 'entries': DiagnoseEntriesRest; 'reasoning': DiagnoseReasoningRest; 'failed': DiagnoseFailedRest; 'done': DiagnoseDoneRest }
  }
  /** Lists the patterns that entries are tagged with. */
  'GET /logs/api/patterns': {
    path: {}
    query: {}
    body: undefined
    answer: ListPatternsResponseRest
    frames: {}
  }
  /** Lists the sources of entries; `<prefix>:<host>:<unit>` are grouped under `<prefix>:<host>`. Those of active branches are included. A branch that
   * does not respond in time is not counted, and is named in the header `x-branches-missing`. */
  'GET /logs/api/sources': {
    path: {}
    query: {}
    body: undefined
    answer: ListSourcesResponseRest
    frames: {}
  }
  /** Suggests the sources that a text is likely about, best first, and lists the names in it that look like hosts or services without stored entries.
   * Uses no language model. A branch that does not respond in time is left out, and named in the header `x-branches-missing`. */
  'POST /logs/api/sources/suggest': {
    path: {}
    query: {}
    body: { text: string }
    answer: SuggestSourcesResponseRest
    frames: {}
  }
  /** Accepts entries that the client has parsed: JSON `{source_id, entries}`, or NDJSON with one entry per line; gzip is allowed. Idempotent: the same
   * batch again stores nothing. */
  'POST /logs/api/glean/batch': {
    path: {}
    query: { source_id?: string | null | undefined }
    body: string | Blob
    answer: GleanBatchResponseRest
    frames: {}
  }
  /** Returns an overview of the last 24 hours. A branch that does not respond in time is not counted, and is named in the header `x-branches-missing`. */
  'GET /logs/api/stats': {
    path: {}
    query: {}
    body: undefined
    answer: StatsRest
    frames: {}
  }
  /** Sets the cookie that replaces the API key where a browser cannot send one: event streams and downloads. It is valid for twelve hours and for
   * reading only: methods other than GET need the key itself. */
  'POST /logs/api/session': {
    path: {}
    query: {}
    body: {}
    answer: undefined
    frames: {}
  }
  /** Ends the session of the cookie, also for copies of it, and deletes the cookie in the browser; the cookie or the API key suffices for this. Event
   * streams and downloads that are open continue. */
  'DELETE /logs/api/session': {
    path: {}
    query: {}
    body: undefined
    answer: undefined
    frames: {}
  }
  /** Creates a branch: a node that accepts entries with its own key, stores them in its own store, and is included in searches. The key is returned
   * only in this response. */
  'POST /logs/api/orchard/graft': {
    path: {}
    query: {}
    body: { label?: string | null | undefined; slug?: string | null | undefined; tenant_id?: string | null | undefined; retention_days?: number | null | undefined; storage?: string | null | undefined; anonymize?: boolean | null | undefined }
    answer: GraftRest
    frames: {}
  }
  /** Lists all branches, active or not, newest first. */
  'GET /logs/api/orchard/branches': {
    path: {}
    query: {}
    body: undefined
    answer: ListBranchesResponseRest
    frames: {}
  }
  /** Stops a branch. Its stored entries remain, and are available again once it is active again. */
  'DELETE /logs/api/orchard/branches/{slug}': {
    path: { slug: string | number }
    query: {}
    body: undefined
    answer: undefined
    frames: {}
  }
  /** Starts a stopped branch with its entries, port and key. An active branch is unchanged. */
  'POST /logs/api/orchard/branches/{slug}/activate': {
    path: { slug: string | number }
    query: {}
    body: undefined
    answer: OrchardBranchRest
    frames: {}
  }
  /** Replaces the addresses and user names in all entries of a branch by pseudonyms; within the branch, the same value always gets the same pseudonym.
   * This is irreversible. 409 if the branch is not active. */
  'POST /logs/api/orchard/branches/{slug}/anonymize': {
    path: { slug: string | number }
    query: {}
    body: undefined
    answer: AnonymizationRest
    frames: {}
  }
  /** Health check. */
  'GET /logs/health': {
    path: {}
    query: {}
    body: undefined
    answer: HealthRest
    frames: {}
  }
  /** The same as `/logs/api/glean/batch`, for the branch with that slug and with its key; no other key is accepted. Without a key the response is 401
   * for every slug, so that callers without one cannot find out which branches exist; with a key, an unknown slug is 404. While the branch is not
   * active or cannot be reached, the response is 503 with `Retry-After`: the sender retains its entries and retries. */
  'POST /logs/branches/{slug}/api/glean/batch': {
    path: { slug: string | number }
    query: { source_id?: string | null | undefined }
    body: string | Blob
    answer: GleanBatchResponseRest
    frames: {}
  }
  /** Collects from all enabled sources now. Returns 202 with the task to follow (`GET /logs/api/tasks/{task_id}`): its `progress` counts bytes, its
   * `counts` lines. 409 while a run is in progress on any replica. `force=true` rereads unchanged files; entries that are already stored are not
   * stored again. */
  'POST /logs/api/tasks/glean': {
    path: {}
    query: { force?: boolean | null | undefined }
    body: undefined
    answer: TaskRest
    frames: {}
  }
  /** Collects from one configured source now, even if it is disabled. The id is that of the configuration, or of entries from it: a source, a group
   * (`<prefix>:<host>`) or a unit. Over SSH this reads the remote path. Responds as collecting from all sources does; 404 for an id that is not
   * configured. */
  'POST /logs/api/sources/{source_id}/glean': {
    path: { source_id: string | number }
    query: { force?: boolean | null | undefined }
    body: undefined
    answer: TaskRest
    frames: {}
  }
  /** Lists the configured sources and what was collected from them. A source is listed before its first collection, with an entry count of 0. Its row
   * adds up the entries of its units (files of a folder, systemd units, containers). An active branch that does not respond in time is not counted,
   * and is named in the header `x-branches-missing`. */
  'GET /logs/api/sources/configured': {
    path: {}
    query: {}
    body: undefined
    answer: ListConfiguredSourcesResponseRest
    frames: {}
  }
  /** Returns whether sources are being watched, and how far. One replica watches for all; every replica returns the same status. */
  'GET /logs/api/watch/status': {
    path: {}
    query: {}
    body: undefined
    answer: WatchStatusRest
    frames: {}
  }
  /** Rereads the configuration and watches the sources that it now names. Lines that arrive meanwhile are not lost. An edited sources file is also
   * detected automatically, within seconds. */
  'POST /logs/api/watch/reload': {
    path: {}
    query: {}
    body: undefined
    answer: WatchStatusRest
    frames: {}
  }
  /** Lists all documents, newest first. */
  'GET /logs/api/context/docs': {
    path: {}
    query: { tag?: string | null | undefined }
    body: undefined
    answer: ListContextDocsResponseRest
    frames: {}
  }
  /** Stores a document: a runbook, notes, a description of the network. It is searchable once the response arrives. The same title and text again
   * return 200 with the existing document. At most 1,000 documents of 524,288 characters each, 8,388,608
   * together; beyond that, 413. */
  'POST /logs/api/context/docs': {
    path: {}
    query: {}
    body: { title: string; text: string; tags?: readonly (string)[] | null | undefined }
    answer: ContextDocRest
    frames: {}
  }
  /** Stores the files of a form as documents, all or none: Markdown or text (.md, .markdown, .txt) in UTF-8 or UTF-16. `title` applies to a single
   * file; otherwise a document is named after its first heading or its file. `tags` is comma-separated. */
  'POST /logs/api/context/docs/upload': {
    path: {}
    query: {}
    body: FormData
    answer: ListContextDocsResponseRest
    frames: {}
  }
  /** Deletes all documents. Requires `all=true`, else 422, so that a request without an id cannot delete the whole collection. */
  'DELETE /logs/api/context/docs': {
    path: {}
    query: { all?: boolean | null | undefined }
    body: undefined
    answer: ContextDeletionRest
    frames: {}
  }
  /** Returns one document. */
  'GET /logs/api/context/docs/{doc_id}': {
    path: { doc_id: string | number }
    query: {}
    body: undefined
    answer: ContextDocRest
    frames: {}
  }
  /** Deletes a document with its chunks. */
  'DELETE /logs/api/context/docs/{doc_id}': {
    path: { doc_id: string | number }
    query: {}
    body: undefined
    answer: undefined
    frames: {}
  }
  /** Lists facts, ordered by category and key. */
  'GET /logs/api/context/facts': {
    path: {}
    query: { category?: string | null | undefined; key?: string | null | undefined; source?: string | null | undefined }
    body: undefined
    answer: ListContextFactsResponseRest
    frames: {}
  }
  /** Stores a fact. There is one per category and key: for an existing one, value and source are replaced (200). At most 5,000 facts. */
  'POST /logs/api/context/facts': {
    path: {}
    query: {}
    body: { category: string; key: string; value: string; source?: string | null | undefined }
    answer: ContextFactRest
    frames: {}
  }
  /** Deletes the facts of a `category`, of a `source`, or of both; or all facts with `all=true`. 422 if none of these is set. */
  'DELETE /logs/api/context/facts': {
    path: {}
    query: { category?: string | null | undefined; source?: string | null | undefined; all?: boolean | null | undefined }
    body: undefined
    answer: ContextDeletionRest
    frames: {}
  }
  /** Deletes a fact. */
  'DELETE /logs/api/context/facts/{fact_id}': {
    path: { fact_id: string | number }
    query: {}
    body: undefined
    answer: undefined
    frames: {}
  }
  /** Returns the questions of the wizard by step, with the answers so far. */
  'GET /logs/api/context/wizard/schema': {
    path: {}
    query: {}
    body: undefined
    answer: ContextWizardRest
    frames: {}
  }
  /** Replaces the stored answers of one step, and returns a preview of the facts that follow from all steps. Steps may be answered in any order; a
   * step without answers is skipped. */
  'POST /logs/api/context/wizard/step': {
    path: {}
    query: {}
    body: { step: string; answers: unknown }
    answer: ContextWizardAnswerRest
    frames: {}
  }
  /** Updates the wizard's facts to match its answers: creates new ones, changes others, and deletes those that no longer follow. Facts from other
   * writers stay unchanged. Idempotent. */
  'POST /logs/api/context/wizard/apply': {
    path: {}
    query: {}
    body: {}
    answer: ContextWizardResultRest
    frames: {}
  }
  /** Returns what a diagnosis would find for a question: chunks and facts by BM25, best first. */
  'GET /logs/api/context/debug/search': {
    path: {}
    query: { q: string; limit?: number | null | undefined }
    body: undefined
    answer: ContextMatchesRest
    frames: {}
  }
  /** Deletes all entries of a source, including those in active branches. A group id, `<prefix>:<host>`, deletes those of all its units. The deletion
   * is durable once the response is sent; entries that are sent again later are new. Disk space is released in the background. 404 if the source has
   * no entries. 503 naming the branch while an active branch that may have entries of the source does not respond: retry. A branch that is not
   * active retains its entries. */
  'DELETE /logs/api/sources/{source_id}': {
    path: { source_id: string | number }
    query: {}
    body: undefined
    answer: undefined
    frames: {}
  }
  /** Overrides the severity of an entry: `{"severity": "CRITICAL"}`, `ERROR`, `WARN`, or `null` for none. Searches, filters, counts and statistics use
   * it from then on. */
  'PATCH /logs/api/entries/{entry_id}': {
    path: { entry_id: string | number }
    query: {}
    body: { severity?: unknown | null | undefined }
    answer: EntryRest
    frames: {}
  }
  /** Releases disk space now: deletes expired entries, rewrites segments without deleted entries and with overridden severities, merges small ones,
   * and removes files that nothing references. Searches and ingestion go on meanwhile. Returns 202 with the task, whose `freed` reports the result.
   * 409 while one is running. */
  'POST /logs/api/tasks/vacuum': {
    path: {}
    query: {}
    body: {}
    answer: TaskRest
    frames: {}
  }
  /** Lists all formats in the order in which lines are matched against them: first your own, from files in `SERVICE_FORMATS_DIR`, then the built-in
   * ones. A file with an error is not used; its `error` describes the error and names its line. Changed files are read again. */
  'GET /logs/api/formats': {
    path: {}
    query: {}
    body: undefined
    answer: ListFormatsResponseRest
    frames: {}
  }
  /** Creates an incident: `{"label": "Checkout is down", "started_at": "2026-03-01T09:15:00Z", "severity": "ERROR"}`. Only the label is required;
   * `started_at` defaults to now. 422 if it ends before it starts. */
  'POST /logs/api/incidents': {
    path: {}
    query: {}
    body: { label?: string | null | undefined; started_at?: string | null | undefined; ended_at?: string | null | undefined; notes?: string | null | undefined; severity?: string | null | undefined; issue_type?: string | null | undefined; query?: string | null | undefined; source_id?: string | null | undefined }
    answer: IncidentRest
    frames: {}
  }
  /** Lists incidents, most recently created first. */
  'GET /logs/api/incidents': {
    path: {}
    query: { status?: string | null | undefined; severity?: string | null | undefined; issue_type?: string | null | undefined; q?: string | null | undefined; since?: string | null | undefined; until?: string | null | undefined; limit?: number | null | undefined; cursor?: string | null | undefined }
    body: undefined
    answer: ListIncidentsResponseRest
    frames: {}
  }
  /** Returns an incident with up to 100 of its entries, sorted by time: the attached ones, and from its window those that match `query`, or without a
   * query those of WARN and above. A branch that does not respond is named in the header `x-branches-missing`. */
  'GET /logs/api/incidents/{id}': {
    path: { id: string | number }
    query: {}
    body: undefined
    answer: IncidentDetailRest
    frames: {}
  }
  /** Changes the fields in the body: `{"status": "resolved"}`, `{"ended_at": null, "notes": "It came back."}`. `null` clears an optional field.
   * `acknowledged` means that the incident is being handled; a resolved incident can be reopened. */
  'PATCH /logs/api/incidents/{id}': {
    path: { id: string | number }
    query: {}
    body: { label?: string | null | undefined; started_at?: string | null | undefined; ended_at?: string | null | undefined; notes?: string | null | undefined; severity?: string | null | undefined; issue_type?: string | null | undefined; query?: string | null | undefined; source_id?: string | null | undefined; status?: string | null | undefined }
    answer: IncidentRest
    frames: {}
  }
  /** Deletes an incident with its attached entries. Records of what was sent or exported remain. */
  'DELETE /logs/api/incidents/{id}': {
    path: { id: string | number }
    query: {}
    body: undefined
    answer: undefined
    frames: {}
  }
  /** Attaches entries, from within its window or not, all or none. The incident stores copies of their current state, which remain when the originals
   * are deleted or expire. 404 if an entry is unknown. Idempotent. */
  'POST /logs/api/incidents/{id}/entries': {
    path: { id: string | number }
    query: {}
    body: { entry_ids: readonly (string)[] }
    answer: AttachEntriesResponseRest
    frames: {}
  }
  /** Detaches an entry. 404 if it was never attached, even if it lies in the window. */
  'DELETE /logs/api/incidents/{id}/entries/{entry_id}': {
    path: { id: string | number; entry_id: string | number }
    query: {}
    body: undefined
    answer: undefined
    frames: {}
  }
  /** Downloads the incident with its entries (up to 1,000) as a file: `{bundle_version, service_version, exported_at, sanitized, incident, entries,
   * entry_count}`. `sanitize=true` replaces addresses, users, hosts, passwords and tokens by placeholders (`[ip4-1]`, `[user-2]`, `[password]`),
   * equal values by the same one. Each download is recorded among the sent bundles. */
  'GET /logs/api/incidents/{id}/bundle': {
    path: { id: string | number }
    query: { sanitize?: boolean | null | undefined }
    body: undefined
    answer: Blob
    frames: {}
  }
  /** Sends the bundle to the configured endpoint (`SERVICE_BUNDLE_ENDPOINT`; 503 if there is none). 200: it was sent. 202: the receiver did not accept
   * it now; it is queued and retried for a day. 502: the receiver refused it. */
  'POST /logs/api/incidents/{id}/send': {
    path: { id: string | number }
    query: { sanitize?: boolean | null | undefined }
    body: undefined
    answer: SentBundleRest
    frames: {}
  }
  /** Creates a ticket for the incident in an external tracker: `{"tracker": "jira"}`. It includes up to 50 entries, 2,000 characters of each. If the
   * tracker already has a ticket for the incident, that one is returned, unless `again` is set. 502 carries the tracker's message; 503 names the
   * missing settings. */
  'POST /logs/api/incidents/{id}/export': {
    path: { id: string | number }
    query: { sanitize?: boolean | null | undefined }
    body: { tracker?: string | null | undefined; label?: string | null | undefined; again?: boolean | null | undefined }
    answer: TicketRest
    frames: {}
  }
  /** Receives a bundle from another installation: the JSON of an export, up to 32 MB. 422 if its version is unknown. With an `Idempotency-Key`,
   * the same bundle sent again is stored once; another bundle with the same key is 422. */
  'POST /logs/api/bundles': {
    path: {}
    query: {}
    body: string | Blob
    answer: BundleIdRest
    frames: {}
  }
  /** Lists received bundles, most recently exported first. */
  'GET /logs/api/bundles': {
    path: {}
    query: { issue_type?: string | null | undefined; since?: string | null | undefined; until?: string | null | undefined; limit?: number | null | undefined; cursor?: string | null | undefined }
    body: undefined
    answer: ListBundlesResponseRest
    frames: {}
  }
  /** Returns a received bundle as it was sent. */
  'GET /logs/api/bundles/{id}': {
    path: { id: string | number }
    query: {}
    body: undefined
    answer: BundleDetailRest
    frames: {}
  }
  /** Deletes a received bundle. */
  'DELETE /logs/api/bundles/{id}': {
    path: { id: string | number }
    query: {}
    body: undefined
    answer: undefined
    frames: {}
  }
  /** Lists all outgoing bundles, newest first: downloads, and bundles that were sent or are queued. */
  'GET /logs/api/sent-bundles': {
    path: {}
    query: { incident_id?: string | null | undefined; limit?: number | null | undefined; cursor?: string | null | undefined }
    body: undefined
    answer: ListSentBundlesResponseRest
    frames: {}
  }
  /** Stores a notification as an entry of the source `media-monitor`, and returns the stored entry, which is then searchable. The body is any JSON
   * object, or a form, which a notification agent sends unless it is configured to send JSON. You choose the names of its fields:
   * `{"action": "buffer", "user": "kim", "title": "Night Train", "player": "Attic TV", "unixtime": "1717634687"}`.
   * 
   * `action`, or without it `event`, with or without the prefix `on_`, determines the severity: `error` is CRITICAL, `buffer` is WARN, anything else
   * has no severity. The time is that of `unixtime`, `utctime` or `timestamp` if one of them can be parsed, otherwise that of arrival. Every
   * notification is a separate entry, even a repeated one. All of its fields are in the entry's `fields`, and its text can be searched for them.
   * 
   * If the setting `media_monitor_token` is set, the header `X-Notifier-Token` must contain it (else 401), in addition to the API key if there is
   * one. */
  'POST /logs/api/ingest/media-monitor': {
    path: {}
    query: {}
    body: string | Blob
    answer: EntryRest
    frames: {}
  }
  /** Returns the state of the anomaly scorer and the result of its last run. */
  'GET /logs/api/anomaly/status': {
    path: {}
    query: {}
    body: undefined
    answer: ScorerStatusRest
    frames: {}
  }
  /** Scores all stored entries, or those of a time range, as a task. New entries are scored automatically. 409 while a run is in progress. A finding
   * that repeats one extends the existing detection. */
  'POST /logs/api/anomaly/run': {
    path: {}
    query: {}
    body: { since?: string | null | undefined; until?: string | null | undefined }
    answer: TaskRest
    frames: {}
  }
  /** Lists the detections of the scorers, newest first. */
  'GET /logs/api/anomaly/detections': {
    path: {}
    query: { scorer?: string | null | undefined; acknowledged?: boolean | null | undefined; label?: string | null | undefined; source?: string | null | undefined; limit?: number | null | undefined; cursor?: string | null | undefined }
    body: undefined
    answer: ListDetectionsResponseRest
    frames: {}
  }
  /** Acknowledges a detection. Doing so again changes only the notes, if there are any. */
  'POST /logs/api/anomaly/detections/{id}/acknowledge': {
    path: { id: string | number }
    query: {}
    body: { notes?: string | null | undefined }
    answer: DetectionRest
    frames: {}
  }
  /** Returns the state of the security scorer and the result of its last run. */
  'GET /logs/api/cybersec/status': {
    path: {}
    query: {}
    body: undefined
    answer: ScorerStatusRest
    frames: {}
  }
  /** As `/logs/api/anomaly/run`, for the security scorer. */
  'POST /logs/api/cybersec/run': {
    path: {}
    query: {}
    body: { since?: string | null | undefined; until?: string | null | undefined }
    answer: TaskRest
    frames: {}
  }
  /** Lists the detections of the security scorer, newest first. */
  'GET /logs/api/cybersec/detections': {
    path: {}
    query: { acknowledged?: boolean | null | undefined; label?: string | null | undefined; source?: string | null | undefined; limit?: number | null | undefined; cursor?: string | null | undefined }
    body: undefined
    answer: ListDetectionsResponseRest
    frames: {}
  }
  /** Returns all effective settings: the value set here, otherwise the one that the server was started with (`LLM_BASE_URL` and the like), otherwise
   * the default. A secret reads `"***"` if it is set and `""` if not; its value is never returned. */
  'GET /logs/api/settings': {
    path: {}
    query: {}
    body: undefined
    answer: SettingsRest
    frames: {}
  }
  /** Changes the settings in the body, all or none, and returns all effective settings: `{"tech_level": "executive"}`. `null` resets to the default.
   * For a secret, `"***"` leaves it unchanged and `""` clears it. A secret is stored for the server whose address is set with it: when the address
   * changes to another server, the secret must be sent again, otherwise nothing is changed (422). 400 if `device_names` is not JSON; 422 for a value
   * that is not allowed or an unknown name; 503 if secrets cannot be stored because no key for encrypting them is configured. Without an API key,
   * only callers on the server itself may change settings (403). */
  'PATCH /logs/api/settings': {
    path: {}
    query: {}
    body: { llm_base_url?: string | null | undefined; llm_model?: string | null | undefined; llm_api_key?: string | null | undefined; tech_level?: string | null | undefined; dns_filter_url?: string | null | undefined; dns_filter_version?: string | null | undefined; dns_filter_api_key?: string | null | undefined; dns_filter_certificate?: string | null | undefined; router_source_ids?: readonly (string)[] | null | undefined; device_names?: string | null | undefined; media_monitor_token?: string | null | undefined; notion_url?: string | null | undefined; notion_token?: string | null | undefined; notion_database_id?: string | null | undefined; jira_url?: string | null | undefined; jira_email?: string | null | undefined; jira_token?: string | null | undefined; jira_project?: string | null | undefined; jira_issue_type?: string | null | undefined }
    answer: SettingsRest
    frames: {}
  }
  /** Returns whether sources are configured. `problems` lists errors in the sources file. */
  'GET /logs/api/setup/status': {
    path: {}
    query: {}
    body: undefined
    answer: SetupStatusRest
    frames: {}
  }
  /** Lists what can be collected on the machine of the service: the journal, containers, and log files in the folders of `SERVICE_SCAN_DIRS`, most
   * recently written first, at most 200. `suggestions` can be sent to `POST /logs/api/setup/write` unchanged. */
  'GET /logs/api/setup/discover': {
    path: {}
    query: {}
    body: undefined
    answer: DiscoveryRest
    frames: {}
  }
  /** Appends sources to the sources file, all or none; its comments are preserved. Paths of the server must lie in folders of `SERVICE_LOG_DIRS`, else
   * 422. Without an API key, only callers on the server itself may add sources (403). 409 if an id already exists. The file (`SERVICE_SOURCES_FILE`)
   * may also be edited by hand. With several replicas, added sources are stored in their database, for all of them, in addition to the file that they
   * are configured with. */
  'POST /logs/api/setup/write': {
    path: {}
    query: {}
    body: { sources: readonly (SourceDraftInput)[] }
    answer: WriteSourcesResponseRest
    frames: {}
  }
  /** Interprets a description as a source of this machine: `{"text": "the nginx logs"}`. Known words and paths are tried first, then a language model,
   * if one is configured (`llm_base_url`), which may only choose what exists; otherwise `source` is null and
   * `reason` explains why. Nothing is written: if the result is
   * correct, send it to `POST /logs/api/setup/write`. */
  'POST /logs/api/setup/interpret': {
    path: {}
    query: {}
    body: { text: string }
    answer: InterpretationRest
    frames: {}
  }
  /** Lists readable log files in the log and application folders of `SERVICE_SCAN_DIRS`, best first. `score` is `0.7 * recency + 0.3 * size`, or with
   * a `query` (a description of the problem) `0.4 * recency + 0.2 * size + 0.4 * match`, each from 0 to 1: recency halves with each day since the
   * file was last written; size is logarithmic, 1 from a gigabyte on; match is the share of the query's keywords that its path contains, or, counted
   * half, its last lines. Links are not followed. `is_complete` is false if there was too much to examine. */
  'GET /logs/api/setup/scan': {
    path: {}
    query: { query?: string | null | undefined; max_results?: number | null | undefined }
    body: undefined
    answer: ScanResultRest
    frames: {}
  }
  /** Lists all targets, newest first. */
  'GET /logs/api/ssh-targets': {
    path: {}
    query: {}
    body: undefined
    answer: ListSshTargetsResponseRest
    frames: {}
  }
  /** Adds a target: `{"label": "NAS", "host": "nas.home", "user": "logs", "key_path": "/home/ann/.ssh/id_ed25519"}`. The key must lie in one of the
   * configured folders (`SERVICE_SSH_KEY_DIRS`); 422 for a host with a link-local address. No connection is made yet. Without an API key, only
   * callers on the server itself may add, change, remove and test targets (403). */
  'POST /logs/api/ssh-targets': {
    path: {}
    query: {}
    body: { label?: string | null | undefined; host?: string | null | undefined; port?: number | null | undefined; user?: string | null | undefined; key_path?: string | null | undefined }
    answer: SshTargetRest
    frames: {}
  }
  /** Changes the fields in the body: `{"port": 2222}`. The result of the last test is cleared if the change affects how the target is reached. */
  'PATCH /logs/api/ssh-targets/{id}': {
    path: { id: string | number }
    query: {}
    body: { label?: string | null | undefined; host?: string | null | undefined; port?: number | null | undefined; user?: string | null | undefined; key_path?: string | null | undefined }
    answer: SshTargetRest
    frames: {}
  }
  /** Removes a target. Its entries remain; sources that reference it report an error at their next collection. */
  'DELETE /logs/api/ssh-targets/{id}': {
    path: { id: string | number }
    query: {}
    body: undefined
    answer: undefined
    frames: {}
  }
  /** Connects, runs `true` on the remote host, and returns the result; a failed test is a result, too. The key of a new host is stored. A host that
   * presents a different key is not trusted: `error` reports it. After verifying that the key was changed, test with its fingerprint as
   * `accept_host_key` to accept it: `{"accept_host_key": "SHA256:..."}`. */
  'POST /logs/api/ssh-targets/{id}/test': {
    path: { id: string | number }
    query: {}
    body: { accept_host_key?: string | null | undefined }
    answer: SshTargetTestRest
    frames: {}
  }
  /** Lists the templates of all entries that pass the filters, last seen first. They are counted in the stored entries on request, so deletions,
   * expiry and changed severities take effect at once. `GET /logs/api/search?template={template_id}` finds the entries. A template may become more
   * general as more of its lines arrive; its earlier ids remain valid. A branch that does not respond in time is not counted: the header
   * `x-branches-missing` names it, and an inactive branch that `branch` names.
   * 
   * `trend` compares the last quarter of a window with the rest of it: from `since` to `until`, by default the last 24 hours, or if nothing was
   * logged in those, the 24 hours up to the newest entry. */
  'GET /logs/api/templates': {
    path: {}
    query: { source?: string | null | undefined; since?: string | null | undefined; until?: string | null | undefined; severity?: string | null | undefined; q?: string | null | undefined; trend?: string | null | undefined; order?: string | null | undefined; limit?: number | null | undefined; cursor?: string | null | undefined; domain?: string | null | undefined; tenant?: string | null | undefined; branch?: string | null | undefined }
    body: undefined
    answer: ListTemplatesResponseRest
    frames: {}
  }
  /** Returns one template with its newest entries and their sources. An id that the template had before it became more general is accepted, too. 404
   * if no entry is left. A branch that does not respond in time is left out, and named in the header `x-branches-missing`; if the template may exist
   * in that branch only, the response is 503: retry. */
  'GET /logs/api/templates/{template_id}': {
    path: { template_id: string | number }
    query: {}
    body: undefined
    answer: TemplateDetailRest
    frames: {}
  }
  /** Creates a chain from an audio file: WAV, AIFF, MP3, FLAC, M4A (AAC-LC, ALAC, FLAC or Opus), Ogg Vorbis or Ogg Opus, detected by its content. Sample rate and
   * channels are preserved; more than two channels are mixed down. */
  'POST /music/api/chains': {
    path: {}
    query: {}
    body: FormData
    answer: ChainRest
    frames: {}
  }
  /** Lists the caller's chains, newest first. */
  'GET /music/api/chains': {
    path: {}
    query: { limit?: number | null | undefined; cursor?: string | null | undefined }
    body: undefined
    answer: ListChainsResponseRest
    frames: {}
  }
  /** Returns one chain with all its nodes. */
  'GET /music/api/chains/{chain_id}': {
    path: { chain_id: string | number }
    query: {}
    body: undefined
    answer: ChainRest
    frames: {}
  }
  /** Renames a chain. */
  'PATCH /music/api/chains/{chain_id}': {
    path: { chain_id: string | number }
    query: {}
    body: { name?: string | null | undefined }
    answer: ChainRest
    frames: {}
  }
  /** Deletes a chain with all its audio, and stops its generations. */
  'DELETE /music/api/chains/{chain_id}': {
    path: { chain_id: string | number }
    query: {}
    body: undefined
    answer: undefined
    frames: {}
  }
  /** Continues a node: creates one node per take, generated in the background. The same parent, seed and parameters produce the same audio. 409 while
   * the node is not ready, 422 if there is only silence to continue from. */
  'POST /music/api/chains/{chain_id}/nodes/{node_id}/branches': {
    path: { chain_id: string | number; node_id: string | number }
    query: {}
    body: { prompt?: string | null | undefined; duration_seconds?: number | null | undefined; seed?: number | null | undefined; context_seconds?: number | null | undefined; takes?: number | null | undefined; generator?: GeneratorWord | null | undefined }
    answer: CreateBranchesResponseRest
    frames: {}
  }
  /** Regenerates a node that ended in an error, with its original parameters. */
  'POST /music/api/chains/{chain_id}/nodes/{node_id}/retry': {
    path: { chain_id: string | number; node_id: string | number }
    query: {}
    body: {}
    answer: NodeRest
    frames: {}
  }
  /** Deletes a node without children; its generation is stopped. */
  'DELETE /music/api/chains/{chain_id}/nodes/{node_id}': {
    path: { chain_id: string | number; node_id: string | number }
    query: {}
    body: undefined
    answer: undefined
    frames: {}
  }
  /** Makes a node the spine's continuation of its parent. The displaced sibling and its descendants become undecided. */
  'POST /music/api/chains/{chain_id}/nodes/{node_id}/commit': {
    path: { chain_id: string | number; node_id: string | number }
    query: {}
    body: {}
    answer: ChainRest
    frames: {}
  }
  /** Discards a node; the node and its descendants leave the spine. */
  'POST /music/api/chains/{chain_id}/nodes/{node_id}/discard': {
    path: { chain_id: string | number; node_id: string | number }
    query: {}
    body: {}
    answer: ChainRest
    frames: {}
  }
  /** Returns the audio of a node: a 24-bit WAV or FLAC, or a gapless MP3. Supports byte ranges. */
  'GET /music/api/chains/{chain_id}/nodes/{node_id}/audio': {
    path: { chain_id: string | number; node_id: string | number }
    query: { format?: AudioFormatWord | null | undefined }
    body: undefined
    answer: Blob
    frames: {}
  }
  /** Returns the outline of a node's waveform. */
  'GET /music/api/chains/{chain_id}/nodes/{node_id}/peaks': {
    path: { chain_id: string | number; node_id: string | number }
    query: { points?: number | null | undefined }
    body: undefined
    answer: PeaksRest
    frames: {}
  }
  /** Returns a picture of the frequencies of a node over time: a grayscale PNG whose rows are mel bands, the highest first. Black is -90 dB or less, white
   * full scale. */
  'GET /music/api/chains/{chain_id}/nodes/{node_id}/spectrogram': {
    path: { chain_id: string | number; node_id: string | number }
    query: { start?: number | null | undefined; end?: number | null | undefined; width?: number | null | undefined; height?: number | null | undefined }
    body: undefined
    answer: Blob
    frames: {}
  }
  /** Separates a node into four stems, in the background: vocals, drums, bass and other, which sum to the node's samples exactly. Repeated requests
   * return the stems that are being made, or that exist. 402 below the paid tier, 409 while the node is not ready. */
  'POST /music/api/chains/{chain_id}/nodes/{node_id}/stems': {
    path: { chain_id: string | number; node_id: string | number }
    query: {}
    body: {}
    answer: StemsRest
    frames: {}
  }
  /** Returns the stems of a node, and how far their separation is. 402 below the paid tier. */
  'GET /music/api/chains/{chain_id}/nodes/{node_id}/stems': {
    path: { chain_id: string | number; node_id: string | number }
    query: {}
    body: undefined
    answer: StemsRest
    frames: {}
  }
  /** Deletes the stems of a node; a separation in progress is stopped. */
  'DELETE /music/api/chains/{chain_id}/nodes/{node_id}/stems': {
    path: { chain_id: string | number; node_id: string | number }
    query: {}
    body: undefined
    answer: undefined
    frames: {}
  }
  /** Returns the audio of one stem: a 24-bit WAV, a FLAC, or a gapless MP3. Supports byte ranges. 402 below the paid tier, 409 while the stems are not ready. */
  'GET /music/api/chains/{chain_id}/nodes/{node_id}/stems/{name}': {
    path: { chain_id: string | number; node_id: string | number; name: string | number }
    query: { format?: AudioFormatWord | null | undefined }
    body: undefined
    answer: Blob
    frames: {}
  }
  /** Exports the spine as one file, exactly as long as its nodes together, to the sample. Supports byte ranges, so that an interrupted download can be
   * continued by the same request. */
  'POST /music/api/chains/{chain_id}/export': {
    path: { chain_id: string | number }
    query: {}
    body: { format?: AudioFormatWord | null | undefined; crossfade_ms?: number | null | undefined; normalize?: boolean | null | undefined }
    answer: Blob
    frames: {}
  }
  /** Streams changes of the nodes of a chain, until the chain is deleted. */
  'GET /music/api/chains/{chain_id}/events': {
    path: { chain_id: string | number }
    query: { last_event_id?: string | null | undefined }
    body: undefined
    answer: undefined
    frames: { 'node-status': NodeStatusChangedRest; 'gap': GapRest; 'reset': ResetRest; 'node-removed': NodeRemovedRest; 'chain-removed': ChainRemovedRest; 'stems-status': StemsStatusChangedRest }
  }
  /** Returns what generations run on, the current load, and the estimated wait of a new generation. */
  'GET /music/api/gpu': {
    path: {}
    query: {}
    body: undefined
    answer: GpuRest
    frames: {}
  }
  /** Leases one free slot for 60 s, during which no other caller can lease it. It does not delay generations. 409 if all slots are taken or there are
   * none. */
  'POST /music/api/gpu/sessions': {
    path: {}
    query: {}
    body: {}
    answer: GpuSessionRest
    frames: {}
  }
  /** Renews the lease for 60 s from now. 404 if it has expired. */
  'PUT /music/api/gpu/sessions/{session_id}': {
    path: { session_id: string | number }
    query: {}
    body: {}
    answer: GpuSessionRest
    frames: {}
  }
  /** Releases the slot. 404 if the lease has expired. */
  'DELETE /music/api/gpu/sessions/{session_id}': {
    path: { session_id: string | number }
    query: {}
    body: undefined
    answer: undefined
    frames: {}
  }
  /** Health check. */
  'GET /music/health': {
    path: {}
    query: {}
    body: undefined
    answer: HealthRest
    frames: {}
  }
}

