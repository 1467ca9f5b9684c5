import { Heading } from '../parts/heading.tsx';
import { RulesForm } from '../parts/rules-form.tsx';
import { useSaveSettings, WithSettings } from './deployment-form.tsx';

export function DeploymentRules() {
  const save = useSaveSettings();
  return (
    <>
      <Heading
        title="Approval rules"
        about="What agents may do, for everybody. What is denied here stays denied; otherwise everybody's own rules go before these."
      />
      <WithSettings>
        {({ approvals }) => (
          <RulesForm
            label="Approval rules"
            rules={approvals}
            empty="There are no rules: agents may use all their tools without asking."
            whose="deployment"
            save={(next) => save({ approvals: next })}
          />
        )}
      </WithSettings>
    </>
  );
}
