export const tiers = ['free', 'paid', 'premium', 'ultra', 'local'] as const
export type Tier = (typeof tiers)[number]

/** The authenticated caller. Services trust it; only the edge may set it. */
export type Caller = {
  /** `local`, an account's id, `guest:<uuid>` or `anonymous`. */
  userId: string
  kind: 'local' | 'account' | 'guest' | 'anonymous'
  tier: Tier
}

export const anonymous: Caller = { userId: 'anonymous', kind: 'anonymous', tier: 'free' }
