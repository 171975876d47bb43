import { readConfig } from '@trellis/kit/config'
import { listingsConfig } from '@trellis/listings'
import { describe, expect, test } from 'vitest'
import { helmMissing, render } from './helm.ts'

type Variable = { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }

const variablesOf = async (values: object): Promise<readonly Variable[]> => {
  const found = (await render(values)).find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith('-listings'),
  )
  return found?.spec.template.spec.containers[0].env
}
/** The environment of the process, without variables from Secrets. */
const environmentOf = (variables: readonly Variable[]) =>
  Object.fromEntries(variables.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])))
/** Variables from Secrets: the Secret and its key. */
const secretsOf = (variables: readonly Variable[]) =>
  Object.fromEntries(
    variables.flatMap(({ name, valueFrom }) =>
      valueFrom === undefined ? [] : [[name, [valueFrom.secretKeyRef.name, valueFrom.secretKeyRef.key]]],
    ),
  )

/** Settings that the chart does not have, and why. */
const withoutValue: Readonly<Record<string, string>> = {
  MARKETPLACE_CLIENT_ID: 'an older name',
  MARKETPLACE_CLIENT_SECRET: 'an older name',
  MARKETPLACE_RENDER: 'a value of the search workers',
  LISTINGS_CHROMIUM: 'part of the image of the search workers',
  LISTINGS_CHROMIUM_SANDBOX: 'part of the image of the search workers',
  LISTINGS_SEARCH_WORKERS: 'workers are pods',
  LISTINGS_WORKER_MEMORY_MB: 'workers are pods, with limits of their own',
  LISTINGS_BROWSER_MEMORY_MB: 'workers are pods, with limits of their own',
}

/** Values that set every variable: those of the demo, and those of a marketplace. */
const everything = {
  marketplace: {
    baseUrl: 'https://market.example.com',
    apiUrl: 'https://api.market.example.com',
    platform: 'shop',
    environment: 'sandbox',
    siteId: 'AT',
    profileUrl: 'https://api.market.example.com/shopping',
    currency: 'EUR',
    userAgent: 'Shop/1.0',
    affiliateCampaign: 'campaign',
    requestGapMilliseconds: 1,
    photoGapMilliseconds: 2,
    existingSecret: 'market',
    notifications: {
      endpoint: 'https://trellis.example.com/listings/api/marketplace/account-deletion',
      existingSecret: 'notifications',
      tokenKey: 'token',
      verifySignatures: false,
    },
  },
  listings: {
    searchesPerUser: 3,
    monitorsAtOnce: 4,
    photoWaitSeconds: 5,
    retention: { days: 6, guestDays: 7, listingsPerUser: 100_000_000 },
    alerts: { privateAddresses: false, smtp: { from: 'alerts@example.com', existingSecret: 'mail', urlKey: 'url' } },
    feedback: {
      url: 'https://api.github.com',
      repository: 'shop/trellis',
      kind: 'github',
      existingSecret: 'tracker',
      tokenKey: 'token',
    },
    community: { existingSecret: 'community', urlKey: 'url' },
    demoMode: true,
  },
  llm: { baseUrl: 'http://llm:8000/v1', model: 'small', visionModel: 'sees', existingSecret: 'llm' },
  cloud: { enabled: true, existingSecret: 'cloud' },
}

describe.skipIf(helmMissing !== undefined)(
  `the listings service${helmMissing ? ` (skipped: ${helmMissing})` : ''}`,
  () => {
    test("the chart's default environment yields the service's own defaults, with the demo of the release", async () => {
      const environment = environmentOf(await variablesOf({}))
      expect(readConfig(listingsConfig, environment)).toEqual({
        ...readConfig(listingsConfig, {}),
        demoUrl: expect.stringContaining('demo-marketplace'),
      })
    })

    test('every setting has a value, except those of search workers on this machine', async () => {
      const names = new Set([...(await variablesOf({})), ...(await variablesOf(everything))].map(({ name }) => name))
      const settings = Object.values(listingsConfig).map(({ variable }) => variable)
      expect(settings.filter((variable) => !names.has(variable)).toSorted()).toEqual(
        Object.keys(withoutValue).toSorted(),
      )
    })

    test('limits, retention, mail, feedback and notifications are passed on from the values', async () => {
      expect(readConfig(listingsConfig, environmentOf(await variablesOf(everything)))).toMatchObject({
        platform: 'shop',
        photoGapMilliseconds: 2,
        searchesPerUser: 3,
        monitorsAtOnce: 4,
        photoWaitSeconds: 5,
        retentionDays: 6,
        guestDays: 7,
        listingsPerUser: 100_000_000,
        alertPrivateAddresses: false,
        smtpFrom: 'alerts@example.com',
        issueTrackerUrl: 'https://api.github.com',
        issueTrackerRepository: 'shop/trellis',
        issueTrackerKind: 'github',
        notificationEndpoint: everything.marketplace.notifications.endpoint,
        verifySignatures: false,
        demoMode: true,
      })
    })

    test('credentials come from existing Secrets only', async () => {
      const variables = await variablesOf(everything)
      expect(secretsOf(variables)).toMatchObject({
        SMTP_URL: ['mail', 'url'],
        ISSUE_TRACKER_API_TOKEN: ['tracker', 'token'],
        COMMUNITY_DB_URL: ['community', 'url'],
        MARKETPLACE_NOTIFICATION_TOKEN: ['notifications', 'token'],
        MARKETPLACE_APP_ID: ['market', 'MARKETPLACE_APP_ID'],
      })
    })

    test('in cloud mode the service is notified of it, so that webhooks have no private addresses, without the key of sessions', async () => {
      const variables = await variablesOf({ cloud: { enabled: true, existingSecret: 'cloud' } })
      expect(readConfig(listingsConfig, environmentOf(variables))).toMatchObject({
        cloudMode: true,
        alertPrivateAddresses: undefined,
      })
      expect(Object.keys(secretsOf(variables))).not.toContain('GATEWAY_JWT_SECRET')
    })
  },
)
