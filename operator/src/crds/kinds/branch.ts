import { defineKind, type SpecInputOf, type SpecOf, type StatusInputOf, type StatusOf } from '../kind.ts'
import { choice, defaulted, flag, immutable, integer, object, quantity, text, time, unchanged } from '../schema.ts'
import { commonStatus, notObserved } from '../status.ts'

const portLimits = { minimum: 1024, maximum: 65_535 }

export const branch = defineKind({
  kind: 'Branch',
  plural: 'branches',
  shortName: 'br',
  description:
    'Branch is a receiving node for log lines, with its own volume, address and key. Senders push to its submitEndpoint.',
  spec: object(
    'spec is the desired state of the Branch. Either slug or label is required.',
    {
      slug: immutable(
        'senders use it in their URL; create another Branch instead',
        text(
          'slug is the name of the Branch in URLs, 1 to 40 of a-z, 0-9 and -. If left out, it is derived from label. It cannot be changed.',
          { minLength: 1, maxLength: 40, pattern: '^[a-z0-9-]+$' },
        ),
      ),
      label: text(
        'label is the display name of the Branch. If slug is left out, it is derived from label, and label cannot be changed.',
        { minLength: 1, maxLength: 253 },
      ),
      tenantId: immutable(
        'stored entries already belong to it; create another Branch instead',
        text(
          'tenantId is the owner of the entries of the Branch; it is stored with each of them. It cannot be changed.',
          {
            minLength: 1,
            maxLength: 253,
          },
        ),
      ),
      state: defaulted(
        'Active',
        choice(
          'state is Active (it accepts log lines) or Inactive (nothing runs; stored entries are retained until it is Active again).',
          ['Active', 'Inactive'],
        ),
      ),
      storage: defaulted(
        '1Gi',
        quantity('storage', 'storage is the size of the volume of the Branch, such as 1Gi. It can only grow.', [
          {
            rule: '!isQuantity(string(self)) || !isQuantity(string(oldSelf)) || !quantity(string(self)).isLessThan(quantity(string(oldSelf)))',
            message: 'storage can only grow: a volume cannot be made smaller',
            reason: 'FieldValueForbidden',
          },
        ]),
      ),
      retentionDays: defaulted(
        30,
        integer('retentionDays is how many days entries are retained, 1 to 3650.', { minimum: 1, maximum: 3650 }),
      ),
      port: integer(
        'port is the port of the Service of the Branch, 1024 to 65535. If left out, a free one is assigned and reported in status.port.',
        portLimits,
      ),
      anonymize: defaulted(
        false,
        flag(
          'anonymize replaces IP, MAC and email addresses and user names in entries by pseudonyms; the same name always gets the same pseudonym.',
        ),
      ),
    },
    [
      {
        rule: 'has(self.slug) || has(self.label)',
        message: 'slug or label is required: without a slug it is derived from the label',
        fieldPath: '.slug',
        reason: 'FieldValueRequired',
      },
      {
        rule: "has(self.slug) || !has(self.label) || self.label.matches('[A-Za-z0-9]')",
        message: 'label has no letter a-z and no digit to derive a slug from: set slug',
        fieldPath: '.label',
        reason: 'FieldValueForbidden',
      },
      {
        rule: `has(self.slug) || (${unchanged('label')})`,
        message: 'label cannot be changed if slug is left out: the slug is derived from it',
        fieldPath: '.label',
        reason: 'FieldValueForbidden',
      },
    ],
  ),
  status: defaulted(
    notObserved,
    object('status is the observed state of the Branch; the operator writes it.', {
      ...commonStatus,
      phase: choice('phase is the state of the Branch in one word: Pending, Active, Inactive or Failed.', [
        'Pending',
        'Active',
        'Inactive',
        'Failed',
      ]),
      port: integer('port is the port of the Service of the Branch, as requested or assigned.', portLimits),
      submitEndpoint: text('submitEndpoint is the URL to which senders post batches of log lines.', {
        maxLength: 2048,
      }),
      secretName: text('secretName is the Secret with the key for senders, under api-key.', { maxLength: 253 }),
      entryCount: integer('entryCount is how many entries the Branch stores.', { minimum: 0, format: 'int64' }),
      lastSeen: time('lastSeen is when the last entry arrived.'),
    }),
  ),
  columns: [
    { name: 'Phase', type: 'string', path: '.status.phase', description: 'Pending, Active, Inactive or Failed.' },
    { name: 'Entries', type: 'integer', path: '.status.entryCount', description: 'Stored entries.' },
    { name: 'Last-Seen', type: 'date', path: '.status.lastSeen', description: 'How long ago the last entry arrived.' },
    { name: 'Label', type: 'string', path: '.spec.label', description: 'Its display name.', wide: true },
    { name: 'Tenant', type: 'string', path: '.spec.tenantId', description: 'The owner of its entries.', wide: true },
    { name: 'Port', type: 'integer', path: '.status.port', description: 'The port of its Service.', wide: true },
    { name: 'Storage', type: 'string', path: '.spec.storage', description: 'The size of its volume.', wide: true },
    {
      name: 'Endpoint',
      type: 'string',
      path: '.status.submitEndpoint',
      description: 'Where senders post batches.',
      wide: true,
    },
  ],
  selectable: ['.spec.slug', '.spec.tenantId', '.spec.state', '.status.phase'],
})

export type BranchSpec = SpecOf<typeof branch>
export type BranchSpecInput = SpecInputOf<typeof branch>
export type BranchStatus = StatusOf<typeof branch>
export type BranchStatusInput = StatusInputOf<typeof branch>
