/** Choice of a link's campaign: the user's own takes precedence over the installation's, and users who opted out get neither. */
export type AffiliateChoice = {
  readonly optedOut: boolean
  /** The user's own campaign; undefined for visitors, who have no preferences. */
  readonly ownCampaign: string | undefined
  readonly siteCampaign: string | undefined
}

/** Rotation ids of the partner network by domain suffix; the first is the default. */
const rotations: readonly (readonly [suffix: string, id: string])[] = [
  ['.com', '711-53200-19255-0'],
  ['.com.au', '705-53470-19255-0'],
  ['.ca', '706-53473-19255-0'],
  ['.at', '5221-53469-19255-0'],
]

const rotationOf = (hostname: string): string => {
  const matching = rotations.filter(([suffix]) => hostname.endsWith(suffix))
  return (matching.at(-1) ?? rotations[0])?.[1] ?? ''
}

/** The campaign that links are wrapped with, if any. */
export const campaignOf = ({ optedOut, ownCampaign, siteCampaign }: AffiliateChoice): string | undefined =>
  optedOut ? undefined : ownCampaign?.trim() || siteCampaign?.trim() || undefined

/** Adds a campaign's parameters to a listing's URL, replacing existing values. */
export const wrapUrl = (url: string, campaign: string | undefined): string => {
  if (campaign === undefined || !URL.canParse(url)) return url
  const wrapped = new URL(url)
  const parameters = {
    mkcid: '1',
    mkrid: rotationOf(wrapped.hostname),
    siteid: '0',
    campid: campaign,
    toolid: '10001',
    mkevt: '1',
  }
  for (const [name, value] of Object.entries(parameters)) wrapped.searchParams.set(name, value)
  return wrapped.href
}
