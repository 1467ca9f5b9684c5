/** The OIDC provider and the rules for its accounts. */
export interface OidcOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined: a public client. */
  readonly clientSecret: string | undefined;
  readonly scopes: string;
  /** A claim, or a path of claims with dots. */
  readonly groupsClaim: string;
  /** Members of these groups are admins. Empty: the role is set in chatd. */
  readonly adminGroups: readonly string[];
  /** Domains of verified e-mail addresses, in lower case. Empty: all accounts of the provider. */
  readonly allowedDomains: readonly string[];
  /** The provider, as users know it. */
  readonly name: string;
}
