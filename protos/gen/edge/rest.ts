// Generated from the protos by protoc-gen-edge. Do not edit: change the proto and run `npm run generate`.
// biome-ignore-all lint: generated
import type * as trellis_http_v1_messages from '../ts/trellis/http/v1/messages.ts'
import type * as trellis_listings_v1_blocklist from '../ts/trellis/listings/v1/blocklist.ts'
import type * as trellis_listings_v1_listings from '../ts/trellis/listings/v1/listings.ts'
import type * as trellis_listings_v1_preferences from '../ts/trellis/listings/v1/preferences.ts'
import type * as trellis_listings_v1_reported from '../ts/trellis/listings/v1/reported.ts'
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

const omitNull = (name: string, value: unknown) => (value === null || value === undefined ? {} : { [name]: value })
const present = <In, Out>(value: In | null | undefined, map: (value: In) => Out): Out | null => (value === null || value === undefined ? null : map(value))
const mapValues = <In, Out>(map: { [key: string]: In }, write: (value: In) => Out): { [key: string]: Out } =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, write(value)]))
const jsonOf = (text: string | null | undefined): unknown => (text === null || text === undefined || text === '' ? null : JSON.parse(text))
const textOf = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value))
const oneof = (value: any, member: string): any => (value?.$case === member ? value.value : undefined)


export type NodeStatusWord = 'generating' | 'ready' | 'error'
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

export type DecisionWord = 'undecided' | 'committed' | 'discarded'
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

export type NodeKindWord = 'upload' | 'continuation'
const NodeKindWords: Record<string, NodeKindWord | null> = {
  NODE_KIND_UNSPECIFIED: null,
  NODE_KIND_UPLOAD: 'upload',
  NODE_KIND_CONTINUATION: 'continuation',
}
const NodeKindValues: Record<string, trellis_music_v1_music.NodeKind> = {
  'upload': 'NODE_KIND_UPLOAD',
  'continuation': 'NODE_KIND_CONTINUATION',
}

export type GeneratorWord = 'auto' | 'recombine' | 'onnx' | 'mock'
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

export type GpuModeWord = 'kubernetes' | 'local' | 'none'
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

/** How `must_include` is interpreted. */
export type MustIncludeModeWord = 'all' | 'any' | 'groups'
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

/** How the marketplace is accessed. */
export type AdapterWord = 'auto' | 'api' | 'scraper'
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

export type AudioFormatWord = 'wav' | 'mp3'
const AudioFormatWords: Record<string, AudioFormatWord | null> = {
  AUDIO_FORMAT_UNSPECIFIED: null,
  AUDIO_FORMAT_WAV: 'wav',
  AUDIO_FORMAT_MP3: 'mp3',
}
const AudioFormatValues: Record<string, trellis_music_v1_music.AudioFormat> = {
  'wav': 'AUDIO_FORMAT_WAV',
  'mp3': 'AUDIO_FORMAT_MP3',
}

export type BlockedSellerRest = {
  id: number
  platform: string
  /** The marketplace's id of the seller. */
  platform_seller_id: string
  username: string
  reason: string | null
  /** manual, csv_import or community. */
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

export type ListingRest = {
  platform: string
  /** The marketplace's id. */
  platform_listing_id: string
  title: string
  /** Price, or the lower end of a price range; null if it could not be read. */
  price: number | null
  /** Upper end of a price range, for example of a listing with variants. */
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

export type GetSessionResponseRest = {
  user_id: string
  tier: string
  features: FeaturesRest | null
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
}

/** Response of a health check. */
export type HealthRest = {
  status: string
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

export type ListReportedSellersResponseRest = {
  /** The marketplace's ids of the sellers. */
  reported: string[]
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

/** The parts of a node's sound, if they have been separated. */
export type StemsRest = {
  status: string
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
  /** Other words of the prompt, which the recombining generator did not follow; empty until the node is ready. */
  prompt_ignored: string[]
}

/** A piece of music with its continuations. */
export type ChainRest = {
  chain_id: string
  name: string
  created_at: string
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
  /** Sample rate of its output; null: the rate of the chain. */
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

export const GetSessionResponseToRest = (m: trellis_listings_v1_listings.GetSessionResponse): GetSessionResponseRest => ({
  user_id: m.userId,
  tier: m.tier,
  features: present(m.features, (item) => FeaturesToRest(item)),
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

export const GetCompsResponseToRest = (m: trellis_listings_v1_listings.GetCompsResponse): GetCompsResponseRest => ({
  query: m.query,
  median_price: m.medianPrice ?? null,
  currency: m.currency ?? null,
  sample_count: m.sampleCount,
  quartiles: jsonOf(m.quartiles),
  expires_at: m.expiresAt ?? null,
})

export const HealthToRest = (m: trellis_http_v1_messages.Health): HealthRest => ({
  status: m.status,
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

export const ListReportedSellersResponseToRest = (m: trellis_listings_v1_reported.ListReportedSellersResponse): ListReportedSellersResponseRest => ({
  reported: m.reported,
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

export const StemsToRest = (m: trellis_music_v1_music.Stems): StemsRest => ({
  status: m.status,
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

export const ListBlockedSellersRequestFromRest = (_: any): trellis_listings_v1_blocklist.ListBlockedSellersRequest => ({
})

export const BlockSellerRequestFromRest = (j: any): trellis_listings_v1_blocklist.BlockSellerRequest => ({
  platform: j.platform ?? '',
  platformSellerId: j.platform_seller_id ?? '',
  username: j.username ?? '',
  reason: j.reason ?? '',
  flags: j.flags ?? [],
})

export const UnblockSellerRequestFromRest = (j: any): trellis_listings_v1_blocklist.UnblockSellerRequest => ({
  platformSellerId: j.platform_seller_id ?? '',
})

export const ExportBlocklistRequestFromRest = (_: any): trellis_listings_v1_blocklist.ExportBlocklistRequest => ({
})

export const ImportBlocklistParametersFromRest = (_: any): trellis_listings_v1_blocklist.ImportBlocklistParameters => ({
})

export const ListingsSearchRequestFromRest = (j: any): trellis_listings_v1_listings.SearchRequest => ({
  q: j.q ?? '',
  maxPrice: j.max_price ?? undefined,
  minPrice: j.min_price ?? undefined,
  pages: j.pages ?? 1,
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

export const GetPreferencesRequestFromRest = (_: any): trellis_listings_v1_preferences.GetPreferencesRequest => ({
})

export const SetPreferenceRequestFromRest = (j: any): trellis_listings_v1_preferences.SetPreferenceRequest => ({
  path: j.path ?? '',
  value: textOf(j.value),
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

export const EndSessionRequestFromRest = (_: any): trellis_logs_v1_logs.EndSessionRequest => ({
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

export const ExportChainRequestFromRest = (j: any): trellis_music_v1_music.ExportChainRequest => ({
  chainId: j.chain_id ?? '',
  format: AudioFormatValues[j.format ?? "wav"] ?? 'AUDIO_FORMAT_UNSPECIFIED',
  crossfadeMs: j.crossfade_ms ?? 0,
  normalize: j.normalize ?? undefined,
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

