import { read, secret, setting } from '@trellis/kit/config'
import { logsConfig } from '../config.ts'

const hash = (text: string): string => {
  if (/^[0-9a-f]{64}$/.test(text)) return text
  throw new Error('must be 64 hex digits')
}

const slug = (text: string): string => {
  if (/^[a-z0-9-]{1,40}$/.test(text)) return text
  throw new Error('must have 1 to 40 of a-z, 0-9 and -')
}

/** What a branch is told, beside what every process is. */
export const branchConfig = {
  slug: setting('BRANCH_SLUG', slug, '', 'Its name, which its entries carry.'),
  key: secret('BRANCH_KEY', read.text, '', 'What senders present.'),
  keyHash: secret(
    'BRANCH_KEY_SHA256',
    hash,
    '',
    'The SHA-256 of it in hex, in its place: whoever starts it keeps no key.',
  ),
  tenantId: setting('BRANCH_TENANT_ID', read.text, '', 'The namespace of its entries.'),
  retentionDays: setting(
    'BRANCH_RETENTION_DAYS',
    read.integer(1, 3_650),
    30,
    'Entries go so many days after they arrived.',
  ),
  anonymizes: setting(
    'BRANCH_ANONYMIZE',
    read.flag,
    false,
    'Puts pseudonyms in place of addresses and user names on arrival.',
  ),
  formatsDirectory: {
    ...logsConfig.formatsDirectory,
    description: 'A folder of log formats, the same as the logs service has; none unless told.',
  },
  patternsDirectory: {
    ...logsConfig.patternsDirectory,
    description: 'A folder of patterns, the same as the logs service has; none unless told. Read at the start.',
  },
  maxBatchMegabytes: logsConfig.maxBatchMegabytes,
  segmentEntries: logsConfig.segmentEntries,
  cacheMegabytes: logsConfig.cacheMegabytes,
  pushedMegabytes: logsConfig.pushedMegabytes,
  idleSeconds: logsConfig.idleSeconds,
}

export type BranchConfig = { readonly [Name in keyof typeof branchConfig]: (typeof branchConfig)[Name]['fallback'] }
