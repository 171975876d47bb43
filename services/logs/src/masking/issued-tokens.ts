/** Tokens that are recognizable by their form, as their issuers document it. */
export const issuedTokens: Record<string, RegExp> = {
  aws: /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/u,
  github: /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})/u,
  gitlab: /(?<![A-Za-z0-9])gl(?:pat|ptt|rt|cbt|dt)-[\w-]{20,255}/u,
  slack: /(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10,255}/u,
  'slack webhook': /(?<=hooks\.slack\.com\/services\/)[A-Za-z0-9/]{20,255}/u,
  google: /(?<![A-Za-z0-9])AIza[\w-]{35}/u,
  stripe: /(?<![A-Za-z0-9])(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,255}/u,
  models: /(?<![A-Za-z0-9])sk-(?:[a-z]{2,10}-)?[\w-]{20,255}/u,
  npm: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}/u,
  'hugging face': /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,255}/u,
  notion: /(?<![A-Za-z0-9])(?:ntn|secret)_[A-Za-z0-9]{40,255}/u,
  atlassian: /(?<![A-Za-z0-9])ATATT3[\w=-]{50,255}/u,
  sendgrid: /(?<![A-Za-z0-9])SG\.[\w-]{16,64}\.[\w-]{16,64}/u,
  // The URL of a bot has the token after the word `bot`.
  telegram: /(?<=\/bot|(?<![A-Za-z0-9]))\d{8,10}:AA[\w-]{33}/u,
  discord: /(?<=discord(?:app)?\.com\/api(?:\/v\d{1,2})?\/webhooks\/\d{1,25}\/)[\w-]{20,255}/u,
  // A header of JSON in base64url, then a payload (RFC 7519; with an encrypted one five parts, RFC 7516).
  jwt: /(?<![A-Za-z0-9])eyJ[\w-]{8,4096}\.[\w-]{8,8192}(?:\.[\w-]{0,2048}){0,3}/u,
}

/** Every token above matches this. */
export const issuedHint =
  /A[KSBC][IC]A[A-Z0-9]|gh[pousr]_|github_pat_|gl[a-z]{2,3}-|xox[a-z]-|hooks\.slack|\/webhooks\/|AIza|[srp]k_|sk-|npm_|hf_|ntn_|secret_|ATATT3|SG\.|:AA|eyJ/
