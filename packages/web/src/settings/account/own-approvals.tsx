import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { apiQuery, useInvalidateQueries } from '../../api/queries.ts';
import { QueryResult } from '../parts/query-result.tsx';
import { Heading } from '../parts/heading.tsx';
import { RulesForm } from '../parts/rules-form.tsx';

export function OwnApprovals() {
  const rules = useQuery(apiQuery('getApprovals'));
  const changed = useInvalidateQueries();
  return (
    <>
      <Heading
        title="My approvals"
        about="What agents may do in your chats without asking. Decisions with “This chat” or “Always” add a rule here. Rules of admins that deny always apply."
      />
      <QueryResult to={rules}>
        {({ approvals }) => (
          <RulesForm
            label="My approvals"
            rules={approvals}
            empty="You have no rules. The deployment's rules apply; without one, all tools are allowed."
            whose="own"
            save={async (next) => {
              await client.call('updateApprovals', { body: { approvals: next } });
              await changed();
            }}
          />
        )}
      </QueryResult>
    </>
  );
}
