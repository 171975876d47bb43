/** Keys whose value is a user name, in text (`user=ann`), in JSON and in the fields of a sender. */
export const userKeys = [
  'user',
  'username',
  'user_name',
  'user.name',
  'userid',
  'user_id',
  'usr',
  'login',
  'logname',
  'ruser',
  'remote_user',
  'run_as',
  'account',
  'account_name',
  'acct',
] as const
