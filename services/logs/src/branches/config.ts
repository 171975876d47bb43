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

/** The settings of a branch, in addition to those of every process. */
export const branchConfig = {
  slug: setting('BRANCH_SLUG', slug, '', 'The name of the branch, which its entries carry.'),
  key: secret('BRANCH_KEY', read.text, '', 'The key that senders present.'),
  keyHash: secret(
    'BRANCH_KEY_SHA256',
    hash,
    '',
    'The SHA-256 of the key in hex, instead of the key, so that the key need not be stored where the branch is started.',
  ),
  tenantId: setting('BRANCH_TENANT_ID', read.text, '', 'The namespace of the entries.'),
  retentionDays: setting(
    'BRANCH_RETENTION_DAYS',
    read.integer(1, 3_650),
    30,
    'Entries are deleted this many days after their arrival.',
  ),
  anonymizes: setting(
    'BRANCH_ANONYMIZE',
    read.flag,
    false,
    'Replaces addresses and user names by pseudonyms on arrival.',
  ),
  formatsDirectory: {
    ...logsConfig.formatsDirectory,
    description: 'A folder of log formats, the same as that of the logs service; none by default.',
  },
  patternsDirectory: {
    ...logsConfig.patternsDirectory,
    description: 'A folder of patterns, the same as that of the logs service; none by default. Read at the start.',
  },
  maxBatchMegabytes: logsConfig.maxBatchMegabytes,
  segmentEntries: logsConfig.segmentEntries,
  cacheMegabytes: logsConfig.cacheMegabytes,
  pushedMegabytes: logsConfig.pushedMegabytes,
  idleSeconds: logsConfig.idleSeconds,
}

export type BranchConfig = { readonly [Name in keyof typeof branchConfig]: (typeof branchConfig)[Name]['fallback'] }
