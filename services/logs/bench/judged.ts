/**
 * Symptoms in the words of a user who does not know the wording of the logs, and the lines of the Loghub samples that answer them. The answers were
 * judged by reading the samples' templates, before anything was measured.
 */
export type Judged = { symptom: string; answers: RegExp }

export const judgedSymptoms: readonly Judged[] = [
  { symptom: 'someone is guessing credentials over secure shell', answers: /Failed password|authentication failure/ },
  { symptom: 'login tried with an account that does not exist', answers: /Invalid user|user unknown|invalid user/ },
  { symptom: 'a storage node removed data', answers: /Deleting block/ },
  { symptom: 'metadata server registered a new replica', answers: /addStoredBlock: blockMap updated/ },
  {
    symptom: 'the other side hung up the network link',
    answers: /Connection reset|Connection broken|end of stream exception|closed by remote/i,
  },
  { symptom: 'cluster chooses a new coordinator', answers: /New election|LOOKING|LEADING|FOLLOWING|\bleader\b/i },
  { symptom: 'memory chips report faults', answers: /ddr error|ECC|parity error|symbol/i },
  { symptom: 'processor could not translate an address', answers: /data TLB error|TLB/ },
  { symptom: 'web backend worker is in bad shape', answers: /workerEnv in error state/ },
  { symptom: 'visitor may not list the contents of a folder', answers: /Directory index forbidden/ },
  {
    symptom: 'host name lookup did not work out',
    answers: /getaddrinfo|UnknownHost|reverse mapping|could not resolve/i,
  },
  {
    symptom: 'job cannot reach the resource scheduler',
    answers: /ERROR IN CONTACTING RM|Retrying connect to server|NoRouteToHost/,
  },
  { symptom: 'wifi trouble', answers: /AirPort|ARPT|IO80211|en0::/i },
  { symptom: 'computer was woken from standby', answers: /Wake reason|wake|Wake/ },
  { symptom: 'superuser got a shell', answers: /session opened for user root/ },
  { symptom: 'a client connected to the file transfer daemon', answers: /ftpd\[?\d*\]?: connection from/ },
  { symptom: 'file lock could not be prolonged', answers: /renew lease|LeaseRenewer/ },
  {
    symptom: 'mounting the parallel filesystem went wrong',
    answers: /mount FAILED|failed to mount|Lustre mount|ciod: (?:Error|failed)/i,
  },
  { symptom: 'too many tries, the session was cut off', answers: /Too many authentication failures|Disconnecting/ },
  { symptom: 'kernel ran out of ram and stopped a program', answers: /Out of Memory|oom/i },
]
